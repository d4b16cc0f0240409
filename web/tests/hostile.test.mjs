// What nobody should pass: errors are clear, and the module works as before.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

import { diff, headerNames, OutOfMemoryError, Policy, PROFILES, Robots, RobotsieveError } from "robotsieve-full";
import { Robots as KnownRobots } from "robotsieve-known";
import robotsParser from "robotsieve/robots-parser";

import * as wasm from "../dist/full/wasm.js";

const FILE = "User-agent: *\nDisallow: /a\n";

/** Fails if the module is not as good as new. */
function works() {
  const policy = new Robots(FILE).policy("bot");
  assert.deepEqual([policy.isAllowed("/a"), policy.isAllowed("/b")], [false, true]);
  policy.free();
}

test("wrong types", () => {
  const robots = new Robots(FILE);
  const policy = robots.policy("bot");
  for (const value of [undefined, null, 3, {}, [], true, Symbol("s"), new ArrayBuffer(4), new Uint16Array(2), () => 1]) {
    for (const ask of [
      () => new Robots(value), () => policy.isAllowed(value), () => policy.decide(value), () => policy.verdicts([value]),
      () => robots.explain("bot", value), () => headerNames(value), () => diff(value, FILE), () => diff(FILE, value),
      () => robots.policy({ userAgent: value }),
    ]) {
      assert.throws(ask, TypeError, String(value));
    }
  }
  for (const value of [undefined, null, 3, {}, [3], [null], new Uint8Array(3)]) {
    assert.throws(() => robots.policy(value), TypeError, String(value));
  }
  for (const urls of ["/a", new Uint8Array(3), 3, null, undefined]) assert.throws(() => policy.verdicts(urls), TypeError);
  assert.throws(() => Robots(FILE), TypeError);
  assert.throws(() => new Robots(FILE, { profile: "RFC9309" }), { name: "RangeError", message: /there is no profile "RFC9309"/ });
  works();
});

test("lone surrogates stand for U+FFFD", () => {
  const robots = new Robots("User-agent: *\nDisallow: /\uD800x\nDisallow: /y", { spans: "utf16" });
  const policy = robots.policy("bot");
  assert.equal(policy.isAllowed("/\uDC00x"), false);
  assert.equal(policy.isAllowed("/\uFFFDx"), false);
  assert.deepEqual([...policy.verdicts(["/\uDC00x", "/\uD800", "/y"])], [0, 1, 0]);
  const { rule } = policy.decide("/y");
  assert.equal(robots.text.slice(...rule.value_span), "/y");
});

test("a URL with a lone surrogate is judged as URL writes it", () => {
  const robots = new Robots("User-agent: *\nDisallow: /%EF%BF%BD\nAllow: /\uD83D\uDE00", { spans: "utf16" });
  const policy = robots.policy("bot");
  for (const half of ["\uD800", "\uDBFF", "\uDC00", "\uDE00\uD83D", "\uD83D\uD83D\uDE00"]) {
    const url = `https://e.com/${half}/x?${half}`;
    const written = new URL(url);
    assert.match(written.href, /^https:\/\/e\.com\/(%EF%BF%BD)+/);
    for (const same of [written, written.href, url.toWellFormed?.() ?? written.href, new TextEncoder().encode(url)]) {
      assert.equal(policy.isAllowed(url), policy.isAllowed(same), half);
      assert.deepEqual(policy.decide(url), policy.decide(same));
      assert.deepEqual([...policy.verdicts([url, "/"])], [...policy.verdicts([same, "/"])]);
      const [ours, theirs] = [robots.explain("bot", url), robots.explain("bot", same)];
      assert.deepEqual([ours.verdict, ours.line, ours.target.value], [theirs.verdict, theirs.line, theirs.target.value]);
    }
    assert.equal(policy.isAllowed(url), false);
  }
  assert.equal(policy.isAllowed("/\uD83D\uDE00"), true);
});

test("bytes that are not UTF-8 keep their places", () => {
  let seed = 1;
  const random = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
  const prefix = new TextEncoder().encode("\uFEFFUser-agent: *\nDisallow: /");
  for (let round = 0; round < 300; round++) {
    const junk = Uint8Array.from({ length: random(40) }, () => [0x41, 0x80, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0xff][random(10)]);
    const end = new TextEncoder().encode("\nDisallow: /end\n");
    const robots = new Robots(Uint8Array.of(...prefix, ...junk, ...end), { spans: "utf16" });
    const { rule } = robots.policy("bot").decide("/end");
    assert.equal(robots.text.slice(...rule.line_span), "Disallow: /end");
    robots.free();
  }
});

test("sizes over the limits", () => {
  const policy = new Robots(FILE).policy("bot");
  const long = `/${"b".repeat(16 << 20)}`;
  assert.throws(() => policy.isAllowed(long), RangeError);
  assert.throws(() => policy.verdicts(["/a", long]), RangeError);
  assert.equal(policy.isAllowed(long.slice(0, 16 << 20)), true);
  assert.deepEqual([...policy.verdicts(["/a", long.slice(0, 16 << 20), "/a"])], [0, 1, 0]);
  assert.throws(() => new Robots(FILE).explain("bot", "/".repeat(65_537)), RangeError);
  assert.throws(() => policy.automaton({ url: "/".repeat(65_537) }), RangeError);
  assert.throws(() => new Robots(new Uint8Array((8 << 20) + 1)), RangeError);
  assert.throws(() => new Robots("é".repeat((4 << 20) + 1)), RangeError);
  new Robots("é".repeat(4 << 20)).free();
  assert.throws(() => new Robots(FILE).policy("a".repeat((1 << 20) + 1)), RangeError);
  assert.throws(() => diff(FILE, FILE, { crawlers: Array(6).fill("a".repeat(1 << 20)) }), RangeError);
  assert.throws(() => new Robots(FILE).lint({ contentType: "a".repeat((1 << 20) + 1) }), RangeError);
  works();
});

/** Ways to give bytes to the package. */
const takers = (robots, policy) => ({
  "new Robots": (bytes) => new Robots(bytes),
  diff: (bytes) => diff(bytes, FILE),
  "diff, the second": (bytes) => diff(FILE, bytes),
  robotsParser: (bytes) => robotsParser("https://e.com/robots.txt", bytes),
  headerNames: (bytes) => headerNames(bytes),
  "policy of a header": (bytes) => robots.policy({ userAgent: bytes }),
  explain: (bytes) => robots.explain("bot", bytes),
  "explain to a header": (bytes) => robots.explain({ userAgent: bytes }, "/"),
  compareProfiles: (bytes) => robots.compareProfiles("bot", bytes),
  isAllowed: (bytes) => policy.isAllowed(bytes),
  decide: (bytes) => policy.decide(bytes),
  verdicts: (bytes) => policy.verdicts(["/a", bytes]),
  automaton: (bytes) => policy.automaton({ url: bytes }),
});

test("views of memory that is gone", () => {
  const robots = new Robots(FILE);
  const policy = robots.policy("bot");
  const gone = {
    transferred: () => {
      const bytes = new TextEncoder().encode("/abc");
      structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
      return bytes;
    },
    "transferred and empty": () => {
      const bytes = new Uint8Array(0);
      structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
      return bytes;
    },
    "a part that is cut off": () => {
      const buffer = new ArrayBuffer(16, { maxByteLength: 32 });
      const bytes = new Uint8Array(buffer, 4, 12);
      buffer.resize(8);
      return bytes;
    },
    "an end that is cut off": () => {
      const buffer = new ArrayBuffer(16, { maxByteLength: 32 });
      const bytes = new Uint8Array(buffer, 12);
      buffer.resize(8);
      return bytes;
    },
  };
  for (const [name, make] of Object.entries(gone)) {
    for (const [taker, take] of Object.entries(takers(robots, policy))) {
      assert.throws(() => take(make()), { name: "TypeError", message: /was transferred or has shrunk/ }, `${taker}: ${name}`);
    }
  }
  const { buffer } = gone.transferred();
  assert.throws(() => new Robots(buffer), TypeError);
  // Nothing was lost.
  assert.equal(policy.isAllowed("/a"), false);
  assert.deepEqual(robots.tokens, ["*"]);
  works();
});

test("bytes of every kind are taken, and what is none is not", () => {
  const robots = new Robots(FILE);
  const policy = robots.policy("bot");
  const text = new TextEncoder().encode("/abc");
  const shared = new Uint8Array(new SharedArrayBuffer(4));
  shared.set(text);
  const shrunk = new Uint8Array(new ArrayBuffer(16, { maxByteLength: 32 }));
  shrunk.set(text);
  shrunk.buffer.resize(4);
  class Liar extends Uint8Array {
    get length() {
      return 1e9;
    }
    static get [Symbol.species]() {
      throw new Error("not to be called");
    }
  }
  const foreign = vm.runInNewContext("Uint8Array.of(47, 97, 98, 99)");
  for (const bytes of [shared, shrunk, Liar.from(text), foreign, Buffer.from("/abc"), new Uint8Array(text.buffer, 0, 4)]) {
    for (const [taker, take] of Object.entries(takers(robots, policy))) assert.doesNotThrow(() => take(bytes), taker);
    assert.equal(policy.isAllowed(bytes), false);
    assert.deepEqual([...policy.verdicts([bytes, "/b", bytes])], [0, 1, 0]);
    assert.equal(policy.decide(bytes).line, 2);
    assert.equal(robots.explain("bot", bytes).line, 2);
    assert.equal(new Robots(bytes).text, "/abc");
  }
  const invalid = new Uint8Array(new SharedArrayBuffer(2)).fill(0x61);
  assert.throws(() => policy.isAllowed(invalid), { code: "invalid-url", message: /"aa"/ });
  for (const fake of [Object.create(Uint8Array.prototype), { length: 4 }, new Proxy(text, {}), new Uint8ClampedArray(4)]) {
    for (const [taker, take] of Object.entries(takers(robots, policy))) assert.throws(() => take(fake), TypeError, taker);
  }
  assert.equal(policy.isAllowed("/a"), false);
  works();
});

test("objects freed by what the caller's own code does", () => {
  const other = new Robots(FILE);
  const kept = other.policy("bot");
  const asks = {
    verdicts: (robots, policy, free) => policy.verdicts((function* () {
      yield "/a";
      free();
      yield "/b";
    })()),
    "verdicts of an array with a getter": (robots, policy, free) =>
      policy.verdicts(Object.defineProperty(["/a", "/b"], 1, { get: () => (free(), "/b") })),
    "verdicts of a proxy": (robots, policy, free) =>
      policy.verdicts(new Proxy(["/a", "/b"], { get: (urls, key) => (free(), urls[key]) })),
    automaton: (robots, policy, free) => policy.automaton({ get url() { free(); return "/"; } }),
    policy: (robots, policy, free) => robots.policy({ get userAgent() { free(); return "bot"; } }),
    "policy of names": (robots, policy, free) => robots.policy(Object.defineProperty(["x"], 0, { get: () => (free(), "x") })),
    isAllowed: (robots, policy, free) => robots.isAllowed({ get userAgent() { free(); return "bot"; } }, "/"),
    explain: (robots, policy, free) => robots.explain({ get userAgent() { free(); return "bot"; } }, "/"),
    compareProfiles: (robots, policy, free) => robots.compareProfiles({ get userAgent() { free(); return "bot"; } }, "/"),
    crawlDelay: (robots, policy, free) => robots.crawlDelay({ get userAgent() { free(); return "bot"; } }),
    "lint, profiles": (robots, policy, free) => robots.lint({ get profiles() { free(); return PROFILES; } }),
    "lint, in the list": (robots, policy, free) => robots.lint({ profiles: (function* () { free(); yield "google"; })() }),
    "lint, contentType": (robots, policy, free) => robots.lint({ get contentType() { free(); return "text/html"; } }),
    "fix, apply": (robots, policy, free) => robots.fix({ get apply() { free(); return "all"; } }),
    "fix, codes": (robots, policy, free) => robots.fix({ codes: (function* () { free(); yield "RS203"; })() }),
    "diff, examples": (robots, policy, free) => diff(robots, other, { get examples() { free(); return 3; } }),
    "diff, crawlers": (robots, policy, free) => diff(other, robots, { crawlers: (function* () { free(); yield "bot"; })() }),
    "diff, a name of its own": (robots, policy, free) => {
      const liar = Object.defineProperty(new Robots(FILE), "name", { get: () => (free(), "robots.txt") });
      return diff(robots, liar, { get profile() { return robots.profile; }, crawlers: ["bot"] }) && free() && robots.tokens;
    },
  };
  for (const [name, ask] of Object.entries(asks)) {
    const robots = new Robots(FILE, { profile: "google" });
    const policy = robots.policy("bot");
    const free = () => (robots.free(), policy.free(), true);
    assert.throws(() => ask(robots, policy, free), { name: "RobotsieveError", code: "freed", message: /this (Robots|Policy) was freed/ }, name);
    assert.equal(kept.isAllowed("/a"), false, name);
  }
  // Code that runs in the middle of a call asks too.
  const policy = other.policy("bot");
  assert.deepEqual([...policy.verdicts(["/a", "/b"].map.call(["/a", "/b"], (url) => (policy.isAllowed("/x"), url)))], [0, 1]);
  assert.deepEqual([...policy.verdicts((function* () {
    yield "/a";
    policy.verdicts(["/x", "/y", "/z"]);
    yield "/b";
  })())], [0, 1]);
  const thrown = new Error("mine");
  assert.throws(() => policy.verdicts((function* () { throw thrown; })()), thrown);
  assert.throws(() => other.lint({ get profiles() { throw thrown; } }), thrown);
  works();
});

test("a policy that nobody made", () => {
  const kept = new Robots(FILE).policy("bot");
  for (const raw of [[], [null], [{}], [kept], [{ answer: () => 1 }]]) {
    assert.throws(() => new Policy(...raw), { name: "TypeError", message: "a Policy is made by Robots.policy(crawler)" });
  }
  assert.throws(() => Policy.of({}), TypeError);
  assert.throws(() => new (class extends Policy {})(), TypeError);
  for (const ask of [() => Policy.prototype.isAllowed.call({}, "/"), () => Policy.prototype.verdicts.call(null, ["/"])]) {
    assert.throws(ask, TypeError);
  }
  assert.throws(() => Robots.prototype.policy.call({}, "a"), { code: "freed" });
  assert.equal(kept.isAllowed("/a"), false);
});

test("options that are none, or of another name", () => {
  const robots = new Robots(FILE);
  const policy = robots.policy("bot");
  const takers = {
    "new Robots": (options) => new Robots(FILE, options),
    robotsParser: (options) => robotsParser("https://e.com/robots.txt", FILE, options),
    lint: (options) => robots.lint(options),
    fix: (options) => robots.fix(options),
    diff: (options) => diff(FILE, "", options),
    automaton: (options) => policy.automaton(options),
  };
  for (const [name, take] of Object.entries(takers)) {
    for (const options of ["google", 3, true, ["google"], Symbol("s"), () => 1, ""]) {
      assert.throws(() => take(options), { name: "TypeError", message: /^options must be an object such as \{ \w+: … \}, not \w+$/ }, name);
    }
    assert.throws(() => take({ usrAgent: "x" }), { name: "TypeError", message: /^there is no option "usrAgent"; there (is|are) \w+/ }, name);
    for (const options of [null, undefined, {}, { profile: null, profiles: undefined, url: null, nonsense: undefined }]) {
      assert.deepEqual(JSON.stringify(take(options)), JSON.stringify(take()), name);
    }
  }
  assert.throws(() => robots.lint({ profile: "google" }), { message: 'there is no option "profile"; there are profiles, contentType' });
  assert.deepEqual(diff(FILE, "", { crawlers: null, examples: null }), diff(FILE, ""));
  // A string can be iterated, but is no list.
  for (const list of ["GPTBot", "", 3, {}, { userAgent: "GPTBot" }, new Uint8Array(3), () => 1]) {
    assert.throws(() => diff(FILE, "", { crawlers: list }), { name: "TypeError", message: /^crawlers must be an array/ });
    assert.throws(() => robots.lint({ profiles: list }), { name: "TypeError", message: /^profiles must be an array/ });
    assert.throws(() => robots.fix({ codes: list }), { name: "TypeError", message: /^codes must be an array/ });
    assert.throws(() => policy.verdicts(list), { name: "TypeError", message: /^urls must be an array/ });
  }
  assert.throws(() => diff(FILE, "", { crawlers: [] }), { name: "RangeError", message: /crawlers must not be empty/ });
  assert.throws(() => robots.lint({ profiles: [] }), { name: "RangeError", message: /profiles must not be empty/ });
  assert.throws(() => robots.fix({ profiles: [] }), RangeError);
  assert.deepEqual(robots.fix({ apply: "all", codes: [] }).report.applied, []);
  assert.deepEqual(robots.lint({ profiles: Array(100_000).fill("google") }), robots.lint({ profiles: ["google"] }));
  assert.throws(() => robots.policy(Object.assign(Array(2), { 1: "a" })), TypeError);
  for (const spans of ["utf8", 3, {}, true]) {
    assert.throws(() => new Robots(FILE, { spans }), { name: "RangeError", message: /^spans must be "bytes" or "utf16", not / });
    assert.throws(() => headerNames("a", { spans }), RangeError);
  }
  for (const name of [3, {}, ["a"]]) assert.throws(() => new Robots(FILE, { name }), { name: "TypeError", message: /^a name must be/ });
  assert.deepEqual(new Robots(FILE, { name: Uint8Array.of(0xff) }).explain("a", "/").robots_base64, "/w==");
  for (const profile of ["bing", 3, {}, [], Symbol("s"), Object.create(null), { toString: () => { throw 1; } }]) {
    assert.throws(() => new Robots(FILE, { profile }), { name: "RangeError", message: /^there is no profile .*; there are rfc9309, / });
  }
  assert.throws(() => new Robots({ get constructor() { throw 1; } }), { name: "TypeError", message: "a file must be a string or a Uint8Array, not object" });
  const said = (file) => { try { new Robots(file); } catch (error) { return error.message; } };
  assert.match(said(new Response("")), /, not Response: pass await response\.text\(\)$/);
  assert.match(said(Promise.resolve("")), /, not Promise: await it$/);
  const parser = robotsParser("https://e.com/robots.txt", FILE);
  assert.equal(parser.isAllowed(new URL("https://e.com/a"), null), false);
  assert.throws(() => parser.isAllowed("https://e.com/a", 3), { name: "TypeError", message: "a user agent must be a string, not number" });
  works();
});

test("the largest files, of which too much could be said", () => {
  const kept = new Robots(FILE).policy("bot");
  const filled = (text, bytes = 8 << 20) => Buffer.alloc(bytes, text);
  const tooLong = { name: "RangeError", message: /^the answer would be longer than 128 MiB/ };
  const url = `/${"a".repeat(65_000)}`;
  const google = { profile: "google" };
  {
    const robots = new Robots(filled("a:\n"), google);
    assert.throws(() => robots.lines(), tooLong);
    assert.throws(() => new KnownRobots(filled("a:\n"), google).records(), tooLong);
    robots.lint();
    robots.free();
  }
  {
    const robots = new Robots(filled("useragent:\n"), google);
    // All of these lines are just short enough; the other profiles do not read them as user-agent lines.
    assert.equal(robots.explain("a", "/").selection.lines.length, Math.floor((8 << 20) / 11));
    assert.equal(robots.compareProfiles("a", "/").agree, true);
    assert.equal(robots.isAllowed("a", "/"), true);
    robots.free();
  }
  {
    // Hundreds of rules with thousands of pieces each, which all match.
    const robots = new Robots(filled(`user-agent: *\n${`disallow: /${"*a".repeat(30_000)}\n`.repeat(140)}`, 8 << 20), google);
    assert.throws(() => robots.explain("a", url), tooLong);
    assert.equal(robots.isAllowed("a", url), false);
    assert.equal(robots.policy("a").decide(url).line, 2);
    robots.free();
  }
  assert.equal(kept.isAllowed("/a"), false);
  works();
});

test("positions in long files that are not ASCII", () => {
  const robots = new Robots(`${"user-agent: é\n".repeat(30_000)}disallow: /a\n`, { profile: "google", spans: "utf16" });
  const start = performance.now();
  const lines = robots.lines();
  // Each place was found by reading all of the file: it took minutes.
  assert.ok(performance.now() - start < 5_000, `${performance.now() - start} ms`);
  assert.equal(lines.length, 30_001);
  for (const { value, value_span } of lines.filter((_, n) => n % 1_000 === 0)) {
    assert.equal(robots.text.slice(...value_span), value);
  }
  robots.free();
});

test("files made to be slow or large", () => {
  const files = [
    `User-agent: *\n${"Disallow: /*a*a*a*a*a*a*a*b\n".repeat(2_000)}`,
    `User-agent: *\nDisallow: /${"*a".repeat(200_000)}\n`,
    "User-agent: a\n".repeat(30_000),
    Array.from({ length: 10_000 }, (_, n) => `User-agent: a${n}\nDisallow: /${n}\n`).join(""),
    "\0".repeat(100_000),
    "\r".repeat(400_000),
    `User-agent: *\nDisallow: /${"%".repeat(400_000)}`,
    "Disalow:\n".repeat(20_000),
    "😀".repeat(100_000),
  ];
  for (const file of files) {
    const robots = new Robots(file);
    const policy = robots.policy("a7");
    policy.isAllowed(`/${"a".repeat(10_000)}`);
    policy.verdicts(Array.from({ length: 100 }, (_, n) => `/${"a*".repeat(n)}`));
    robots.explain("a7", `/${"a".repeat(10_000)}`);
    policy.automaton({ url: `/${"a".repeat(1_000)}`, maxStates: 100 });
    assert.ok(robots.lint().findings.length <= 100_000);
    diff(robots, FILE);
    robots.groups;
    robots.lines();
    const known = new KnownRobots(file);
    known.records();
    known.crawlers({ purposes: ["search"] });
    known.free();
    policy.free();
    robots.free();
  }
  works();
});

test("random bytes as files, URLs, names and headers", () => {
  let seed = 7;
  const random = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
  const words = ["User-agent:", "*", "Disallow:", "/", "a", "$", "\n", "\r", " ", "%", "%2F", "é", "\uD800", "Allow", "#", "\0", "//e.com"];
  const text = () => Array.from({ length: random(30) }, () => words[random(words.length)]).join("");
  for (let round = 0; round < 2_000; round++) {
    const robots = new Robots(text(), { profile: ["rfc9309", "google", "google-classic", "original-1994"][round % 4] });
    try {
      const policy = robots.policy(round % 3 ? text() : { userAgent: text() });
      const url = text();
      const one = policy.isAllowed(url);
      assert.equal(policy.verdicts([url])[0] === 1, one);
      assert.equal(policy.decide(url).allowed, one);
    } catch (error) {
      assert.ok(error instanceof RobotsieveError && /^invalid-/.test(error.code), error);
    }
    robots.lint();
    robots.free();
  }
  works();
});

test("freed objects say so, and freeing twice does nothing", () => {
  const robots = new Robots(FILE);
  const policy = robots.policy("bot");
  robots.free();
  robots.free();
  for (const ask of [
    () => robots.policy("a"), () => robots.sitemaps, () => robots.text, () => robots.lint(), () => diff(robots, FILE),
    () => robots.explain("a", "/"), () => robots.crawlDelay("a"),
  ]) {
    assert.throws(ask, { name: "RobotsieveError", code: "freed", message: "this Robots was freed" });
  }
  // The policy does not need it.
  assert.equal(policy.isAllowed("/a"), false);
  assert.equal(policy.decide("/a").rule.line_span[0], 14);
  policy[Symbol.dispose]();
  policy.free();
  for (const ask of [() => policy.isAllowed("/"), () => policy.verdicts(["/"]), () => policy.rules, () => policy.decide("/")]) {
    assert.throws(ask, { code: "freed", message: "this Policy was freed" });
  }
});

test("memory is used again after free", () => {
  const { memory } = { memory: wasm.moduleMemory() };
  const file = `User-agent: *\n${"Disallow: /abc\n".repeat(10_000)}`;
  const once = () => {
    const robots = new Robots(file);
    const policy = robots.policy("bot");
    policy.verdicts(["/abc", "/x"]);
    policy.compile();
    policy.free();
    robots.free();
  };
  for (let round = 0; round < 5; round++) once();
  const { byteLength } = memory.buffer;
  for (let round = 0; round < 100; round++) once();
  assert.equal(memory.buffer.byteLength, byteLength);
});

test("memory is used again after garbage collection", () => {
  const program = `
    import { Robots } from "robotsieve-full";
    import * as wasm from ${JSON.stringify(new URL("../dist/full/wasm.js", import.meta.url).href)};
    const file = "User-agent: *\\n" + "Disallow: /abc\\n".repeat(10_000);
    const sizes = [];
    for (let round = 0; round < 20; round++) {
      for (let n = 0; n < 20; n++) new Robots(file).policy("bot").isAllowed("/abc");
      gc();
      // Finalizers run between tasks.
      await new Promise((resolve) => setTimeout(resolve, 5));
      sizes.push(wasm.moduleMemory().buffer.byteLength);
    }
    console.log(sizes[9], sizes[19]);`;
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const args = ["--expose-gc", "--input-type=module", "-e", program];
  const [early, late] = String(execFileSync(process.execPath, args, { cwd })).trim().split(" ").map(Number);
  // 400 files of 150 kB without it: more than 60 MB.
  assert.ok(late <= 2 * early && late < 40e6, `${early} bytes, then ${late}`);
});

test("memory grows in few steps, since engines collect garbage at each", () => {
  // In a process of its own, where there is no memory left by other tests.
  const program = `
    import { Robots } from "robotsieve-full";
    import * as wasm from ${JSON.stringify(new URL("../dist/full/wasm.js", import.meta.url).href)};
    const file = "User-agent: *\\n" + "Disallow: /abc\\n".repeat(1_000);
    const sizes = new Set();
    for (let n = 0; n < 2_000; n++) {
      new Robots(file).policy("bot");
      sizes.add(wasm.moduleMemory().buffer.byteLength);
    }
    console.log(sizes.size, Math.max(...sizes));`;
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const [steps, bytes] = String(execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd })).split(" ").map(Number);
  assert.ok(bytes > 20e6 && steps < 150, `${steps} steps to ${bytes} bytes`);
});

/** Makes the module fail in the middle of a call, with a policy and its file there. */
function failing(fail) {
  const before = new Robots(FILE);
  const policy = before.policy("bot");
  const { answer } = wasm.RawPolicy.prototype;
  wasm.RawPolicy.prototype.answer = fail;
  let error;
  try {
    policy.isAllowed("/a");
  } catch (caught) {
    error = caught;
  } finally {
    wasm.RawPolicy.prototype.answer = answer;
  }
  works();
  const lost = { name: "RobotsieveError", code: "lost", message: "this object was lost when the module failed: parse its file again" };
  assert.throws(() => policy.isAllowed("/a"), lost);
  assert.throws(() => before.policy("bot"), lost);
  assert.throws(() => policy.verdicts(["/a"]), lost);
  policy.free();
  before.free();
  works();
  return error;
}

test("if the module fails, what is made afterwards works", () => {
  // More than a length can be: the module stops as at a bug.
  const error = failing(() => wasm.scratch(-16));
  assert.deepEqual([error.name, error.code, error instanceof RobotsieveError], ["RobotsieveError", "internal", true]);
});

test("if memory runs out, an error of its own says so", () => {
  const error = failing(() => {
    // Somebody else has all of it: 65,536 pages of 65,536 bytes.
    const memory = wasm.moduleMemory();
    memory.grow(65_536 - memory.buffer.byteLength / 65_536);
    return wasm.scratch(1 << 30);
  });
  assert.deepEqual([error.name, error.code], ["OutOfMemoryError", "out-of-memory"]);
  assert.ok(error instanceof OutOfMemoryError && error instanceof RobotsieveError);
  // It is no reason for a later failure.
  assert.equal(failing(() => wasm.scratch(-16)).code, "internal");
});

test("if there is no memory for a new instance either, the next object tries again", () => {
  const [kept, other] = [new Robots(FILE), new Robots(FILE)];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = function () {
    throw new RangeError("WebAssembly.Instance(): Out of memory");
  };
  const { extent } = wasm.RawRobots.prototype;
  wasm.RawRobots.prototype.extent = () => wasm.scratch(-16);
  try {
    assert.throws(() => kept.extent, { code: "internal" });
    assert.throws(() => new Robots(FILE), { name: "OutOfMemoryError", code: "out-of-memory" });
    assert.throws(() => kept.tokens, { code: "lost" });
    other.free();
  } finally {
    wasm.RawRobots.prototype.extent = extent;
    WebAssembly.Instance = Instance;
  }
  works();
  assert.throws(() => kept.tokens, { code: "lost" });
});

test("if memory runs out, the process gives it back, even while the error and the objects are kept", () => {
  const program = `
    import { OutOfMemoryError, Robots } from "robotsieve-full";
    import * as wasm from ${JSON.stringify(new URL("../dist/full/wasm.js", import.meta.url).href)};
    const file = new Uint8Array(8 << 20).fill(10);
    const kept = [];
    // Somebody else has most of the 4 GiB, and never writes into them.
    ((memory) => memory.grow(57_344 - memory.buffer.byteLength / 65_536))(wasm.moduleMemory());
    let error;
    try {
      for (;;) kept.push(new Robots(file));
    } catch (caught) {
      error = caught;
    }
    const full = process.memoryUsage().rss;
    let rss = full;
    for (let n = 0; n < 50 && rss > full / 4; n++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 20));
      rss = process.memoryUsage().rss;
    }
    const again = new Robots("User-agent: *\\nDisallow: /a").isAllowed("bot", "/a");
    let lost;
    try {
      kept[0].tokens;
    } catch (caught) {
      lost = caught.code;
    }
    const isOwn = error instanceof OutOfMemoryError;
    console.log(JSON.stringify({ isOwn, files: kept.length, full, rss, module: wasm.moduleMemory().buffer.byteLength, again, lost }));`;
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const args = ["--expose-gc", "--input-type=module", "-e", program];
  const { isOwn, files, full, rss, module, again, lost } = JSON.parse(String(execFileSync(process.execPath, args, { cwd })));
  assert.deepEqual([isOwn, again, lost], [true, false, "lost"]);
  assert.ok(files > 40 && full > 4e8, `${files} files in ${full} bytes`);
  // An error's trace held the instance, and so all of its memory, until somebody read it.
  assert.ok(rss < full / 4 && module < 10e6, `${full} bytes, then ${rss}; the module has ${module}`);
});
