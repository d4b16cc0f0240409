// Rights: the published cases and the library's own, through the package, and what nobody should pass.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Robots as OtherRobots } from "robotsieve-known";
import {
  Documents, policyTokens, RightsReader, Robots, RobotsieveError, RobotsRights, TAG_READINGS, VOCABULARIES,
} from "robotsieve-rights";

import { corpus } from "./corpus.mjs";

const own = new URL("../../tests/it/rights_cases.json", import.meta.url);
const published = join(corpus, "../rights/cases.json");
const cases = (path) => JSON.parse(readFileSync(path, "utf8"));
const utf8 = (text) => new TextEncoder().encode(text);

/** The reader of a case, and what it reads. */
function asked({ crawler, reading, now, versions, url, robots, headers, html, files }) {
  const vocabulary = versions?.["aipref-vocab"];
  // Without a time the page is judged by the clock.
  const reader = new RightsReader({ names: crawler.split(",").map((name) => name.trim()) }, {
    reading, vocabulary, now: now === undefined ? undefined : new Date(now),
  });
  return [reader, url, { robots, headers, html, files }];
}

/** A value as text in which order does not count; `undefined` if it is empty. */
function comparable(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const parts = Array.isArray(value)
    ? [...new Set(value.map(comparable))]
    : Object.entries(value).flatMap(([key, of]) => (comparable(of) === undefined ? [] : [`${key}: ${comparable(of)}`]));
  return parts.length === 0 ? undefined : `[${parts.sort().join()}]`;
}

/** What is expected is there, and nothing else; but notes are those that must be there. */
function check({ notes, ...expected }, { notes: found, ...rights }, id) {
  assert.equal(comparable(rights), comparable(expected), id);
  for (const note of notes ?? []) assert.ok(found?.includes(note), `${id}: ${note} is not among ${found}`);
}

const lists = [[fileURLToPath(own), 42], [published, 133]];
for (const [path, count] of lists) {
  test("URL objects are taken for the page, and as addresses of files", () => {
  const reader = new RightsReader("ExampleBot");
  const url = new URL("https://e.com/a");
  const rsl = '<rsl xmlns="https://rslstandard.org/rsl"><content url="/a"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>';
  const [headers, robots] = [{ "X-Robots-Tag": "noindex" }, "User-agent: *\nLicense: https://e.com/rsl.xml\n"];
  const ask = (url, address) => reader.rights(url, { robots, headers, files: new Map([[address, rsl]]) });
  assert.deepEqual(ask(url, new URL("https://e.com/rsl.xml")), ask(String(url), "https://e.com/rsl.xml"));
  assert.deepEqual(reader.report(url, { headers }), reader.report(String(url), { headers }));
});

test(`the cases of ${path}`, { skip: existsSync(path) ? false : "they are not here" }, () => {
    const all = cases(path);
    assert.ok(all.length >= count);
    for (const { id, input, expect } of all) {
      const [reader, url, sources] = asked(input);
      const rights = reader.rights(url, sources);
      check(expect, rights, id);
      // Whatever form it is given in.
      const compiled = input.robots === undefined ? undefined : reader.robots(utf8(input.robots));
      const inFull = (address) => (address === "/.well-known/tdmrep.json" ? address : new URL(address, url).href);
      const files = input.files && Object.entries(input.files).map(([address, file]) => [inFull(address), utf8(file)]);
      const documents = files && new Documents(new Map(files));
      const again = reader.rights(utf8(url), {
        robots: compiled, html: input.html === undefined ? undefined : utf8(input.html), files: documents,
        headers: input.headers?.map(([name, value]) => [name, utf8(value)]),
      });
      assert.deepEqual(again, rights, id);
      if (input.headers?.every(([name, value]) => /^[\w-]+$/.test(name) && !/[\r\n]/.test(value))) {
        const text = input.headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
        assert.deepEqual(reader.rights(url, { ...sources, headers: `HTTP/1.1 200 OK\r\n${text}\r\n` }), rights, id);
      }
      // In words too, each place is named that decided.
      const report = reader.report(url, sources);
      assert.deepEqual(report.purposes.map(({ purpose }) => purpose), Object.keys(rights).filter((key) => /^(crawl|index|snippet|ai-)/.test(key)));
      for (const { purpose, ruling, reasons } of report.purposes) {
        assert.equal(ruling, rights[purpose], id);
        assert.ok(reasons.length > 0, id);
        for (const place of rights.by[purpose] ?? []) assert.ok(reasons.some((reason) => reason.startsWith(place)), `${id}: ${place}`);
      }
      for (const one of [compiled, documents, reader]) one?.free();
    }
  });
}

test("the types are those of all answers", { timeout: 60_000 }, () => {
  const file = new URL(`./rights-${process.pid}.check.mts`, import.meta.url);
  const answers = lists.filter(([path]) => existsSync(path)).flatMap(([path]) => cases(path)).map(({ input }) => {
    const [reader, url, sources] = asked(input);
    const both = [reader.rights(url, sources), reader.report(url, sources)];
    reader.free();
    return both;
  });
  writeFileSync(file, `
    import { type PolicyToken, type Rights, type RightsReport, RightsReader, type RightsSources } from "robotsieve-rights";
    export const answers: [Rights, RightsReport][] = ${JSON.stringify(answers)};
    export const tokens: PolicyToken[] = ${JSON.stringify(policyTokens())};
    export const sources: RightsSources[] = [
      {}, { headers: "a: b" }, { headers: [["a", "b"]] }, { headers: new Map([["a", "b"]]) }, { headers: { a: "b", c: ["d"], e: undefined } },
      { robots: new Uint8Array(), html: "", files: { "/.well-known/tdmrep.json": "[]" } }, { xmp: new Uint8Array() },
    ];
    // @ts-expect-error: no reading of this name
    new RightsReader("a", { reading: "duckduckgo" });
    // @ts-expect-error: a number is no header
    new RightsReader("a").rights("/", { headers: { a: 1 } });`);
  try {
    execFileSync(process.execPath, [
      "node_modules/typescript/bin/tsc", "--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2022", "--lib", "es2022",
      "--module", "nodenext", "--moduleResolution", "nodenext", "--typeRoots", "none", fileURLToPath(file),
    ], { cwd: fileURLToPath(new URL("..", import.meta.url)), encoding: "utf8" });
  } catch (error) {
    assert.fail(error.stdout);
  } finally {
    rmSync(file);
  }
});

const URL_ = "https://example.com/a";
const TRAIN = "User-agent: *\nContent-Usage: train-ai=n\n";

test("headers in every form", () => {
  const reader = new RightsReader("ExampleBot");
  const ruling = (headers) => reader.rights(URL_, { headers }).index;
  for (const headers of [
    "X-Robots-Tag: noindex", utf8("HTTP/2 200\nx-robots-tag: noindex\n\n"), [["X-Robots-Tag", "noindex"]], new Map([["x-robots-tag", "noindex"]]),
    new Headers({ "X-Robots-Tag": "noindex" }), { "x-robots-tag": "noindex" }, { "x-robots-tag": ["all", "noindex"], "set-cookie": undefined },
    [["x-robots-tag", utf8("noindex")]], new Set([["x-robots-tag", "noindex"]]),
  ]) assert.equal(ruling(headers), "disallow");
  for (const headers of ["", {}, [], null, undefined, new Headers(), utf8("")]) assert.equal(ruling(headers), "unknown");
  // Lines of one field stay apart, but for what joins them before.
  const named = ["otherbot: noindex", "nosnippet"];
  assert.equal(reader.rights(URL_, { headers: { "x-robots-tag": named } }).snippet, "disallow");
  const joined = new Headers(named.map((value) => ["x-robots-tag", value]));
  assert.equal(reader.rights(URL_, { headers: joined }).snippet, "unknown");
});

test("what is kept, and what is not", () => {
  const reader = new RightsReader(["Example-News", "Example"]);
  const robots = reader.robots(TRAIN);
  assert.ok(robots instanceof RobotsRights);
  for (let number = 0; number < 1000; number++) {
    assert.equal(reader.rights(`https://example.com/${number}`, { robots })["ai-train"], "disallow");
  }
  // Another profile is that of the file.
  const old = new Robots("User-agent: *\nDisallow: /*.pdf\n", { profile: "original-1994" });
  const compiled = reader.robots(old);
  old.free();
  assert.equal(reader.rights("/a.pdf", { robots: compiled }).crawl, "allow");
  assert.equal(reader.rights("/a.pdf", { robots: "User-agent: *\nDisallow: /*.pdf\n" }).crawl, "disallow");
  assert.equal(reader.rights("/a.pdf").crawl, "unknown");
  assert.equal(reader.rights("/a.pdf", { robots: "" }).crawl, "allow");
  assert.throws(() => new RightsReader("Other").rights("/", { robots }), { name: "TypeError", message: /another RightsReader/ });
  // A `Robots` of another entry point has another module.
  assert.throws(() => reader.robots(new OtherRobots("")), TypeError);
});

test("the choices of a reader", () => {
  const of = (options, sources) => new RightsReader("ExampleBot", options).rights(URL_, sources);
  const robots = "User-agent: Google-Extended\nDisallow: /\n";
  assert.equal(of({}, { robots })["ai-train"], "unknown");
  assert.equal(of({ policyTokens: ["google-extended"] }, { robots })["ai-train"], "disallow");
  assert.deepEqual(policyTokens().find(({ name }) => name === "Google-Extended").purposes, ["ai-input", "ai-train"]);
  assert.deepEqual(TAG_READINGS.map((reading) => of({ reading }, { headers: "X-Robots-Tag: noarchive, nosnippet" })["ai-input"]), [
    "unknown", "disallow", "disallow", "unknown", "unknown",
  ]);
  assert.equal(of({ reading: "amazon" }, { headers: "X-Robots-Tag: noarchive" })["ai-train"], "disallow");
  assert.equal(VOCABULARIES.length, 8);
  const header = (label) => ({ headers: { "content-usage": label } });
  assert.equal(of({ vocabulary: "02" }, header("all=n"))["ai-train"], "disallow");
  assert.equal(of({}, header("all=n"))["ai-train"], "unknown");
  const until = { headers: { "x-robots-tag": "unavailable_after: 2026-01-01" } };
  assert.equal(of({ now: new Date("2025-12-01") }, until).index, "unknown");
  assert.equal(of({ now: Date.parse("2026-02-01") }, until).index, "disallow");
  const far = { headers: { "x-robots-tag": "unavailable_after: 2999-01-01" } };
  assert.deepEqual([of({}, until).index, of({}, far).index, of({}, far).notes], ["disallow", "unknown", undefined]);
});

test("wrong values", () => {
  const reader = new RightsReader("ExampleBot");
  const thrown = (ask, type, message) => assert.throws(ask, (error) => error instanceof type && message.test(error.message), String(message));
  thrown(() => new RightsReader("a", { reading: "duckduckgo" }), RangeError, /no reading "duckduckgo"; there are generic, google, bing, yandex, amazon/);
  thrown(() => new RightsReader("a", { vocabulary: "09" }), RangeError, /no vocabulary "09"/);
  thrown(() => new RightsReader("a", { policyTokens: ["GPTBot"] }), RangeError, /no policy token "GPTBot"; there are Google-Extended/);
  thrown(() => new RightsReader("a", { policyTokens: "Google-Extended" }), TypeError, /policyTokens must be an array/);
  thrown(() => new RightsReader("a", { now: "2026-01-01" }), TypeError, /now must be a Date/);
  thrown(() => new RightsReader("a", { now: new Date("never") }), RangeError, /now must be a time/);
  thrown(() => new RightsReader("a", { vocabolary: "08" }), TypeError, /no option "vocabolary"/);
  thrown(() => new RightsReader(), TypeError, /a crawler must be/);
  thrown(() => new RightsReader("GPTBot/1.1"), RobotsieveError, /GPTBot/);
  assert.throws(() => reader.rights("no url"), { code: "invalid-url" });
  assert.throws(() => reader.report("no url"), { code: "invalid-url" });
  assert.throws(() => reader.rights(URL_, { headers: "X-Robots-Tag: a\nno colon" }), {
    code: "invalid-header", message: "line 2 of the headers: expected 'Name: value', found 'no colon'",
  });
  thrown(() => reader.rights(URL_, { header: "a: b" }), TypeError, /no option "header"/);
  thrown(() => reader.rights(URL_, { headers: 3 }), TypeError, /headers must be an object such as .* or pairs, not number/);
  thrown(() => reader.rights(URL_, { headers: ["X-Robots-Tag", "noindex"] }), TypeError, /must be pairs such as/);
  thrown(() => reader.rights(URL_, { headers: { "x-robots-tag": 3 } }), TypeError, /the header "x-robots-tag" must be a string/);
  thrown(() => reader.rights(URL_, { html: {} }), TypeError, /a page must be a string/);
  thrown(() => reader.rights(URL_, { files: "x" }), TypeError, /files must be an object/);
  thrown(() => reader.rights(URL_, { files: { "license.xml": "x" } }), RangeError, /"license.xml" is no address: write it in full/);
  thrown(() => reader.rights(URL_, { robots: 3 }), TypeError, /a file must be a string/);
  for (const value of [undefined, null, 3, {}]) thrown(() => reader.rights(value), TypeError, /a URL must be/);
  thrown(() => new RobotsRights(), TypeError, /made by RightsReader.robots/);
  thrown(() => RightsReader.prototype.rights.call({}, URL_), TypeError, /./);
  assert.throws(() => reader.rights(URL_, { robots: Object.create(RobotsRights.prototype) }), { code: "freed" });
  assert.throws(() => reader.rights(URL_, { files: Object.create(Documents.prototype) }), { code: "freed" });
  thrown(() => reader.rights(URL_, { html: new Uint8Array((64 << 20) + 1) }), RangeError, /a page must not be longer/);
  thrown(() => reader.rights(URL_, { headers: { a: Array(9).fill("b".repeat(1 << 20)) } }), RangeError, /the headers must not be longer/);
  assert.equal(reader.rights(URL_, { robots: TRAIN })["ai-train"], "disallow");
});

test("the XMP of what is no page", () => {
  const reader = new RightsReader("ExampleBot");
  const of = (value) => utf8(`%PDF-1.7\n<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
<rdf:Description xmlns:plus='http://ns.useplus.org/ldf/xmp/1.0/' plus:DataMining='${value}'/></rdf:RDF></x:xmpmeta>\n`);
  const prohibited = { xmp: of("http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED-AIMLTRAINING") };
  const rights = reader.rights(URL_, prohibited);
  assert.deepEqual([rights["ai-train"], rights.by["ai-train"]], ["disallow", ["xmp:plus:DataMining:1"]]);
  const { purposes } = reader.report(URL_, prohibited);
  const [reason] = purposes.find(({ purpose }) => purpose === "ai-train").reasons;
  assert.match(reason, /^xmp:plus:DataMining:1: .*DMI-PROHIBITED-AIMLTRAINING/);
  // What may have said no and was not read allows nothing.
  const headers = { "Content-Usage": "train-ai=y" };
  const unread = reader.rights(URL_, { headers, xmp: of("of another vocabulary") });
  assert.deepEqual([unread["ai-train"], unread.notes], ["unknown", ["unknown-value", "xmp-not-read"]]);
  assert.throws(() => reader.rights(URL_, { html: "", xmp: of("") }), { name: "TypeError", message: /give html or xmp, not both/ });
  assert.throws(() => reader.rights(URL_, { xmp: 3 }), { name: "TypeError", message: /a file with XMP must be/ });
});

test("a file that could not be read may say no", () => {
  const reader = new RightsReader("ExampleBot");
  const of = (files) => reader.rights(URL_, { headers: { "Content-Usage": "train-ai=y" }, files });
  const tdm = "/.well-known/tdmrep.json";
  assert.equal(of({ [tdm]: undefined })["ai-train"], "allow");
  for (const files of [{ [tdm]: null }, [[tdm, null]], new Documents({ [tdm]: null })]) {
    const { "ai-train": training, notes } = of(files);
    assert.deepEqual([training, notes], ["unknown", ["tdm-not-read"]]);
  }
});

test("freed objects say so, and freeing twice does nothing", () => {
  const reader = new RightsReader("ExampleBot");
  const robots = reader.robots(TRAIN);
  const files = new Documents({ "/.well-known/tdmrep.json": '[{"location":"/","tdm-reservation":1}]' });
  assert.equal(reader.rights(URL_, { robots, files })["ai-input"], "disallow");
  for (const one of [robots, files, reader]) {
    one.free();
    one.free();
  }
  const other = new RightsReader("ExampleBot");
  assert.throws(() => reader.rights(URL_), { code: "freed", message: "this RightsReader was freed" });
  assert.throws(() => reader.robots(TRAIN), { code: "freed" });
  assert.throws(() => other.rights(URL_, { files }), { code: "freed", message: "this Documents was freed" });
  const gone = other.robots(TRAIN);
  gone.free();
  assert.throws(() => other.rights(URL_, { robots: gone }), { code: "freed", message: "this RobotsRights was freed" });
  // Freed by the caller's own code, while it is read.
  const late = { get html() { other.free(); return ""; } };
  assert.throws(() => other.rights(URL_, late), { code: "freed" });
});

test("memory is used again", () => {
  const reader = new RightsReader("ExampleBot");
  const html = `<meta name=robots content=noindex>${" ".repeat(1 << 20)}`;
  const headers = { "x-robots-tag": "nosnippet" };
  const before = process.memoryUsage().arrayBuffers;
  for (let round = 0; round < 300; round++) {
    const { index, snippet } = reader.rights(URL_, { robots: TRAIN, html, headers, files: { "/.well-known/tdmrep.json": "[]" } });
    assert.deepEqual([index, snippet], ["disallow", "disallow"]);
  }
  const grown = process.memoryUsage().arrayBuffers - before;
  assert.ok(grown < 64 << 20, `${grown} bytes`);
});

test("hostile input is answered in time", { timeout: 60_000 }, () => {
  const reader = new RightsReader("ExampleBot");
  const entity = '<?xml version="1.0"?><!DOCTYPE rsl [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><rsl xmlns="https://rslstandard.org/rsl">&b;</rsl>';
  const robots = "License: https://example.com/l\n";
  const found = reader.rights(URL_, { robots, files: { "https://example.com/l": entity } });
  assert.deepEqual(found.licences, [{ kind: "rsl", url: "https://example.com/l", via: "robots.txt:1", state: "invalid" }]);
  const deep = "[".repeat(1 << 20);
  const much = "a=1, ".repeat(200_000);
  const start = performance.now();
  reader.rights(URL_, { files: { "/.well-known/tdmrep.json": deep } });
  reader.rights(URL_, { headers: { "content-usage": much, "robots-tag": much, "content-signal": much, "link": much, "x-robots-tag": much } });
  reader.report(URL_, { html: "<meta name=robots content=".repeat(40_000), robots: `User-agent: *\n${"Content-Signal: ai-train=no\n".repeat(30_000)}` });
  reader.rights(URL_, { html: "<".repeat(1 << 20) });
  assert.ok(performance.now() - start < 20_000);
  let seed = 7;
  const random = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
  const bytes = (length) => Uint8Array.from({ length }, () => random(256));
  for (let round = 0; round < 300; round++) {
    const headers = ["content-usage", "content-signal", "x-robots-tag", "robots-tag", "tdm-reservation", "tdm-policy", "link"].map((name) => [name, bytes(random(60))]);
    const sources = { robots: bytes(random(200)), headers, html: bytes(random(300)), files: { "/.well-known/tdmrep.json": bytes(random(60)), "https://e.example/l": bytes(random(60)) } };
    reader.report(URL_, sources);
    reader.rights(URL_, sources);
  }
  assert.equal(reader.rights(URL_, { robots: TRAIN })["ai-train"], "disallow");
});
