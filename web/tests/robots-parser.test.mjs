import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";

import robotsParser, { RobotsParser } from "robotsieve/robots-parser";

import { file, hosts, missing, reference } from "./corpus.mjs";
import { delaysOf, isAllowed, parse, SWITCHES } from "./robots-parser-model.mjs";

const require = createRequire(import.meta.url);
const original = require("robots-parser");

const URL_OF_FILE = "https://e.com/robots.txt";
const FILE = `User-agent: *
Disallow: /a
Allow: /a/b
Crawl-delay: 3
Sitemap: https://e.com/s.xml
Host: E.com

User-agent: GPTBot
Disallow: /
`;

test("the interface of robots-parser", () => {
  for (const make of [original, robotsParser]) {
    const robots = make(URL_OF_FILE, FILE);
    assert.equal(robots.isAllowed("https://e.com/a", "bot"), false);
    assert.equal(robots.isAllowed("https://e.com/a/b", "bot/1.0"), true);
    assert.equal(robots.isAllowed("https://e.com/x", "GPTBot/1.1"), false);
    assert.equal(robots.isAllowed("https://e.com/x"), true);
    assert.equal(robots.isDisallowed("https://e.com/a"), true);
    assert.equal(robots.getMatchingLineNumber("https://e.com/a/b", "bot"), 3);
    assert.equal(robots.getMatchingLineNumber("https://e.com/x", "bot"), -1);
    assert.equal(robots.getCrawlDelay("bot"), 3);
    assert.equal(robots.getCrawlDelay("GPTBot"), undefined);
    assert.deepEqual(robots.getSitemaps(), ["https://e.com/s.xml"]);
    assert.equal(robots.getPreferredHost(), "e.com");
    // Another protocol, host or port: not the robots.txt for this URL.
    for (const url of ["http://e.com/a", "https://e.com:444/a", "https://www.e.com/a", "/a", "mailto:a@e.com", "https://"]) {
      assert.equal(robots.isAllowed(url, "bot"), undefined, url);
      assert.equal(robots.isDisallowed(url, "bot"), true, url);
      assert.equal(robots.getMatchingLineNumber(url, "bot"), -1, url);
    }
    for (const url of ["https://e.com:443/a", "HTTPS://E.com/a", "https://e.com/b/../a", "https://e.com/%2e/a", "https://u:p@e.com/a"]) {
      assert.equal(robots.isAllowed(url, "bot"), false, url);
    }
    assert.equal(make(URL_OF_FILE, "").isAllowed("https://e.com/a", "bot"), true);
    assert.equal(make(URL_OF_FILE).getPreferredHost(), null);
    // A relative URL of a file makes it valid for relative URLs.
    assert.equal(make("/robots.txt", FILE).isAllowed("/a", "bot"), false);
  }
});

test("a rule with half of a character is for no URL, as in robots-parser", () => {
  const file = "User-agent: *\nDisallow: /\uD800\nDisallow: /\uDC00x\nDisallow: /\u{1F600}";
  for (const make of [original, robotsParser]) {
    const robots = make(URL_OF_FILE, file);
    const verdicts = ["\uD800", "\uDC00x", "\uFFFD", "%EF%BF%BDx", "\u{1F600}"].map((path) => robots.isAllowed(`https://e.com/${path}`, "bot"));
    assert.deepEqual(verdicts, [true, true, true, true, false]);
    assert.equal(robots.getMatchingLineNumber("https://e.com/\uD800", "bot"), -1);
  }
});

test("isExplicitlyDisallowed, which robots-parser has in its repository", () => {
  const robots = robotsParser(URL_OF_FILE, FILE);
  assert.equal(robots.isExplicitlyDisallowed("https://e.com/a", "bot"), false);
  assert.equal(robots.isExplicitlyDisallowed("https://e.com/a", "GPTBot"), true);
  assert.equal(robots.isExplicitlyDisallowed("https://e.com/a"), true);
  assert.equal(robots.isExplicitlyDisallowed("https://www.e.com/a", "GPTBot"), undefined);
});

test("the tests of robots-parser itself", (t) => {
  const folder = dirname(require.resolve("robots-parser"));
  const failed = [];
  let count = 0;
  const it = (name, run) => {
    count += 1;
    try {
      run();
    } catch (error) {
      failed.push(name);
      t.diagnostic(`${name}: ${error.message.split("\n")[0]}`);
    }
  };
  // What they use of mocha and chai.
  const expect = (value) => ({
    to: {
      equal: (wanted) => assert.strictEqual(value, wanted),
      eql: (wanted) => assert.deepStrictEqual(value, wanted),
      be: { lessThan: (most) => assert.ok(value < most) },
    },
  });
  const given = { "../index": robotsParser, chai: { expect } };
  const program = readFileSync(join(folder, "test/Robots.js"), "utf8");
  new Function("require", "describe", "it", program)((name) => given[name], (_, run) => run(), it);
  assert.deepEqual([count, failed], [41, []]);
});

test("what robots-parser does not have", () => {
  const header = "Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)";
  const robots = robotsParser(URL_OF_FILE, FILE);
  // A whole header names its crawler; robots-parser takes it for `mozilla`.
  assert.equal(robots.isAllowed("https://e.com/x", header), false);
  assert.equal(original(URL_OF_FILE, FILE).isAllowed("https://e.com/x", header), true);
  assert.equal(robotsParser(URL_OF_FILE, new TextEncoder().encode(FILE)).isAllowed("https://e.com/a"), false);
  assert.equal(robotsParser(URL_OF_FILE, "User-agent: *\nDisalow: /a", { profile: "google" }).isAllowed("https://e.com/a"), false);
  for (let n = 0; n < 200; n++) assert.equal(robots.isAllowed("https://e.com/a", `bot${n}`), false);
  robots.free();
  assert.throws(() => robots.isAllowed("https://e.com/a", "bot"), { code: "freed" });
  assert.ok(robots instanceof RobotsParser);
});

test("no name throws", () => {
  const robots = robotsParser(URL_OF_FILE, FILE);
  for (const ua of ["", " ", "*", "/", "a b", "é", "x".repeat(10_000), "()", "bot;", "\uD800", "Sogou web spider/4.0"]) {
    assert.equal(robots.isAllowed("https://e.com/a", ua), false, ua);
  }
});

test("require gives the function, as that of robots-parser", { skip: !process.features.require_module && "this Node requires no modules" }, () => {
  assert.equal(require("robotsieve/robots-parser"), robotsParser);
});

/** What makes the answers differ: the fewest switches that turn robots-parser's answer into ours. */
function kindOf(ask, wanted) {
  const all = Object.keys(SWITCHES);
  const one = all.find((name) => ask([name]) === wanted);
  if (one !== undefined) return one;
  if (ask(all) !== wanted) return undefined;
  let left = all;
  for (const name of all) {
    const without = left.filter((other) => other !== name);
    if (ask(without) === wanted) left = without;
  }
  return left.join(" + ");
}

test("each difference to robots-parser over the corpus is explained", { skip: missing }, (t) => {
  const kinds = new Map();
  const unexplained = [];
  let [count, different] = [0, 0];
  let known;
  for (const [host, crawler, urls] of reference()) {
    if (known?.host !== host) {
      known?.ours.free();
      const text = file(host).toString();
      const url = `https://${host}/robots.txt`;
      known = { host, text, parsed: new Map(), theirs: original(url, text), ours: robotsParser(url, text) };
    }
    const { text, parsed, theirs, ours } = known;
    for (const url of urls) {
      if (typeof url !== "string") continue;
      count += 1;
      const [their, our] = [theirs.isAllowed(url, crawler), ours.isAllowed(url, crawler)];
      if (their === our) continue;
      different += 1;
      const ask = (names) => {
        const on = new Set(names);
        const key = names.join();
        if (!parsed.has(key)) parsed.set(key, parse(text, on));
        return isAllowed(parsed.get(key), url, crawler, on);
      };
      // The model is robots-parser: else its switches would explain nothing.
      const kind = their === undefined || our === undefined || ask([]) !== their ? undefined : kindOf(ask, our);
      if (kind === undefined) unexplained.push(`${host} ${crawler} ${url}: ${their}, ours ${our}`);
      else kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  }
  t.diagnostic(`${count} verdicts, ${different} differ`);
  for (const [kind, number] of [...kinds].sort((a, b) => b[1] - a[1])) t.diagnostic(`${number} ${kind}`);
  assert.deepEqual(unexplained.slice(0, 20), []);
  assert.ok(count > 600_000 && different < count / 40);
});

test("sitemaps, hosts and delays over the corpus", { skip: missing }, (t) => {
  const differ = { sitemaps: 0, hosts: 0, delays: 0 };
  for (const host of hosts()) {
    const text = file(host).toString();
    const url = `https://${host}/robots.txt`;
    const [theirs, ours] = [original(url, text), robotsParser(url, text)];
    // Ours trims spaces and tabs only; the one file that differs has a no-break space.
    if (theirs.getSitemaps().join("\n") !== ours.getSitemaps().join("\n")) {
      differ.sitemaps += 1;
      assert.deepEqual(theirs.getSitemaps(), ours.getSitemaps().map((sitemap) => sitemap.trim()), host);
    }
    if (theirs.getPreferredHost() !== ours.getPreferredHost()) differ.hosts += 1;
    for (const crawler of [undefined, "Googlebot", "Bingbot", "Yandex", "MSNBot"]) {
      const [their, our] = [theirs.getCrawlDelay(crawler), ours.getCrawlDelay(crawler)];
      if (their === our) continue;
      differ.delays += 1;
      // Of several delays, robots-parser takes the last one and robotsieve the longest, of a day at most.
      const all = delaysOf(text);
      const wanted = all.get((crawler ?? "*").toLowerCase()) ?? all.get("*") ?? [];
      assert.equal(our, wanted.length === 0 ? undefined : Math.min(Math.max(...wanted), 86_400), `${host} ${crawler}: ${their}`);
    }
    ours.free();
  }
  t.diagnostic(`${JSON.stringify(differ)} differ in ${hosts().length} files`);
  assert.equal(differ.hosts, 0);
});
