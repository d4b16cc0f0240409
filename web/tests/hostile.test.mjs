// What nobody should pass: errors are clear, and the module works as before.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { diff, headerNames, Robots, RobotsieveError } from "robotsieve";

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
  const robots = new Robots("User-agent: *\nDisallow: /\uD800x\nDisallow: /y");
  const policy = robots.policy("bot");
  assert.equal(policy.isAllowed("/\uDC00x"), false);
  assert.equal(policy.isAllowed("/\uFFFDx"), false);
  assert.deepEqual([...policy.verdicts(["/\uDC00x", "/\uD800", "/y"])], [0, 1, 0]);
  const { rule } = policy.decide("/y");
  assert.equal(robots.text.slice(rule.valueSpan.start, rule.valueSpan.end), "/y");
});

test("bytes that are not UTF-8 keep their places", () => {
  let seed = 1;
  const random = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
  const prefix = new TextEncoder().encode("\uFEFFUser-agent: *\nDisallow: /");
  for (let round = 0; round < 300; round++) {
    const junk = Uint8Array.from({ length: random(40) }, () => [0x41, 0x80, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0xff][random(10)]);
    const end = new TextEncoder().encode("\nDisallow: /end\n");
    const robots = new Robots(Uint8Array.of(...prefix, ...junk, ...end));
    const { rule } = robots.policy("bot").decide("/end");
    assert.equal(robots.text.slice(rule.lineSpan.start, rule.lineSpan.end), "Disallow: /end");
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
  assert.throws(() => new Robots(new Uint8Array((64 << 20) + 1)), RangeError);
  assert.throws(() => new Robots(FILE).policy("a".repeat((1 << 20) + 1)), RangeError);
  works();
});

test("positions in long files that are not ASCII", () => {
  const robots = new Robots(`${"user-agent: é\n".repeat(30_000)}disallow: /a\n`, { profile: "google" });
  const start = performance.now();
  const records = robots.records();
  // Each place was found by reading all of the file: it took minutes.
  assert.ok(performance.now() - start < 5_000, `${performance.now() - start} ms`);
  assert.equal(records.length, 30_001);
  for (const { value, valueSpan } of records.filter((_, n) => n % 1_000 === 0)) {
    assert.equal(robots.text.slice(valueSpan.start, valueSpan.end), value);
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
    robots.records();
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
  assert.equal(policy.decide("/a").rule.lineSpan.start, 14);
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
  for (let round = 0; round < 300; round++) once();
  assert.equal(memory.buffer.byteLength, byteLength);
});

test("memory is used again after garbage collection", () => {
  const program = `
    import { Robots } from "robotsieve";
    import * as wasm from ${JSON.stringify(new URL("../dist/full/wasm.js", import.meta.url).href)};
    const file = "User-agent: *\\n" + "Disallow: /abc\\n".repeat(10_000);
    const sizes = [];
    for (let round = 0; round < 40; round++) {
      for (let n = 0; n < 20; n++) new Robots(file).policy("bot").isAllowed("/abc");
      gc();
      // Finalizers run between tasks.
      await new Promise((resolve) => setTimeout(resolve, 5));
      sizes.push(wasm.moduleMemory().buffer.byteLength);
    }
    console.log(sizes[9], sizes[39]);`;
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const args = ["--expose-gc", "--input-type=module", "-e", program];
  const [early, late] = String(execFileSync(process.execPath, args, { cwd })).trim().split(" ").map(Number);
  // 800 files of 150 kB without it: more than 120 MB.
  assert.ok(late <= 2 * early && late < 40e6, `${early} bytes, then ${late}`);
});

test("memory grows in few steps, since engines collect garbage at each", () => {
  // In a process of its own, where there is no memory left by other tests.
  const program = `
    import { Robots } from "robotsieve";
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

test("if the module fails, what is made afterwards works", () => {
  const before = new Robots(FILE);
  const policy = before.policy("bot");
  const { answer } = wasm.RawPolicy.prototype;
  // More memory than there is: the module stops in the middle of the call.
  wasm.RawPolicy.prototype.answer = () => wasm.scratch(-16);
  try {
    assert.throws(() => policy.isAllowed("/a"), { name: "RobotsieveError", code: "internal" });
  } finally {
    wasm.RawPolicy.prototype.answer = answer;
  }
  works();
  assert.throws(() => policy.isAllowed("/a"), { code: "freed", message: /has to be made anew/ });
  assert.throws(() => before.policy("bot"), { code: "freed" });
  assert.throws(() => policy.verdicts(["/a"]), { code: "freed" });
  policy.free();
  before.free();
  works();
});
