// What the page says: the library's sentences, which are true, and little of its own.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "smol-toml";
import { answers, engine, root, source } from "./bundle.mjs";

const { Answers, knownAsker } = await answers();
const { urlMeant, urlParts, robotsUrl, sentence } = await source("urls.ts", "engine/shown.ts");
const { PROFILE_NAMES, READING_NAMES } = await source("profiles.ts", "readings.ts");
const { knownCrawlers, Robots, PROFILES, TAG_READINGS } = await engine();

test("a URL without its scheme is told from what is none", () => {
  assert.equal(urlMeant("example.com/x"), "https://example.com/x");
  assert.equal(urlMeant("a.b.example:8080"), "https://a.b.example:8080");
  for (const other of ["nothing", "no url", "mailto:a@b.example", "a..b", "ftp://a.example/", "1.2 x"]) assert.equal(urlMeant(other), null, other);
});

test("the names of the profiles and readings are the engine's", () => {
  assert.deepEqual([...PROFILE_NAMES], [...PROFILES]);
  assert.deepEqual([...READING_NAMES], [...TAG_READINGS]);
});

test("a sentence begins with a capital letter, unless a name begins it, and ends with a full stop", () => {
  assert.equal(sentence("line 3 decides"), "Line 3 decides.");
  assert.equal(sentence("remove it: \u202Ex"), "Remove it: \\u{202e}x.");
  for (const named of ["rfc9309, google and google-classic say allow", "original-1994 says allow", "robots.txt itself", "'/a' is"]) {
    assert.equal(sentence(named), `${named}.`);
  }
});

test("a purpose's column counts what its members' own columns say", async () => {
  const file = await readFile(join(root, "corpora/robots/news.example.txt"), "utf8");
  const of = new Answers(`User-agent: AdsBot-Google\nDisallow: /only-ads\n\n${file}`);
  const urls = ["/", "/search", "/licence", "/only-ads", "/press/x", "not a url"];
  const { crawlers } = knownCrawlers();
  for (const profile of PROFILES) {
    const reach = of.crawlers(profile);
    // In the profile that was chosen, whatever the operators read.
    assert.ok(reach.crawlers.every((crawler) => crawler.profile === profile), profile);
    for (const purpose of ["ai-training", "search", "ads"]) {
      const [column] = of.table(profile, [{ kind: "purpose", purpose }], urls);
      const [disallowed, invalid] = [urls.map(() => 0), urls.map(() => 0)];
      for (const { token, by } of reach.crawlers.filter((crawler) => crawler.purpose === purpose)) {
        const names = [token, ...crawlers.find((crawler) => crawler.token === token).after];
        const robots = new Robots(by === "ignores-star" ? "" : of.file, { profile });
        const verdicts = robots.policy({ firstOf: names }).verdicts(urls);
        robots.free();
        if (by !== "ignores-star") {
          const [own] = of.table(profile, [knownAsker(names)], urls);
          assert.deepEqual(own.verdicts, verdicts, `${profile} ${token}`);
        }
        verdicts.forEach((verdict, index) => {
          if (verdict === 0) disallowed[index] += 1;
          if (verdict === 2) invalid[index] = 1;
        });
      }
      assert.deepEqual([[...column.disallowed], [...column.invalid]], [disallowed, invalid], `${profile} ${purpose}`);
      urls.forEach((url, index) => {
        if (invalid[index]) return;
        const members = of.members(profile, { kind: "purpose", purpose }, url);
        assert.equal(members.disallowed.length, disallowed[index]);
        assert.equal(members.allowed.length + members.disallowed.length, column.members.length);
      });
    }
  }
});

test("every sentence of an explanation is true", async () => {
  const folder = join(root, "corpora/cases");
  let count = 0;
  const kinds = new Set();
  for (const name of (await readdir(folder)).sort()) {
    for (const of of parse(await readFile(join(folder, name), "utf8")).case) {
      if (of.robots === undefined) continue;
      const asker = of.user_agent !== undefined
        ? { userAgent: of.user_agent }
        : of.agent.split(",").map((name) => name.trim());
      for (const profile of PROFILES) {
        const robots = new Robots(of.robots, { profile, spans: "utf16" });
        for (const { url } of of.checks) {
          if (url === undefined) continue;
          let why;
          try {
            why = robots.explain(asker, url);
          } catch {
            continue;
          }
          for (const { text } of [...why.sentences, ...why.selection.sentences]) {
            kinds.add(text.replaceAll(/[\d,]+/g, "N"));
            check(text, why, robots, of.robots, asker, url, profile);
            count += 1;
          }
          assert.equal(urlParts(url, why).map((part) => part.text).join(""), url);
        }
        robots.free();
      }
    }
  }
  assert.ok(count > 5000 && kinds.size > 15, `${count} sentences of ${kinds.size} kinds`);
});

/** The file without a line, its number kept. */
function without(file, line) {
  const lines = file.split(/\r\n|\r|\n/);
  lines[line - 1] = "#";
  return lines.join("\n");
}

function check(text, why, robots, file, asker, url, profile) {
  const say = `${text} (${profile}, ${url}, ${JSON.stringify(file)})`;
  const policy = robots.policy(asker);
  const allowed = policy.isAllowed(url);
  // In profile google one line can be two rules.
  const rules = [...new Set(policy.rules.map((rule) => rule.line))];
  const matching = [...new Set(why.matches.map((rule) => rule.line))];
  const lines = (text) => text.match(/\d+(?! more)/g).map(Number);
  const agentOf = (line) => robots.groups.flatMap((group) => group.agents).find((agent) => agent.line === line);
  let match;
  if (text === "no group applies to this crawler: everything is allowed") {
    assert.ok(allowed && rules.length === 0 && policy.group.length === 0, say);
    assert.ok(policy.isAllowed("http://a.example/") && policy.isAllowed("http://a.example/any/thing?x=1"), say);
  } else if (/^the groups? (has|have) no rules: everything is allowed$/.test(text)) {
    assert.ok(allowed && rules.length === 0 && policy.group.length > 0, say);
  } else if ((match = /^(none of the (\d+) rules of the groups? matches|the only rule of the groups? does not match): what no rule disallows is allowed$/.exec(text))) {
    assert.ok(allowed && Number(match[2] ?? 1) === rules.length && why.match_count === 0, say);
  } else if ((match = /^the rule on line (\d+) is empty and restricts nothing: everything is allowed$/.exec(text))) {
    assert.ok(allowed && rules.length === 0 && robots.lines().some(({ line, value }) => line === Number(match[1]) && value === ""), say);
  } else if (text.startsWith("robots.txt itself may always be fetched")) {
    assert.ok(allowed && /\/robots\.txt/.test(url), say);
  } else if ((match = /^line (\d+) decides, out of (\d+) rules? in the groups? for (everybody|the crawler)$/.exec(text))) {
    const [winner] = why.matches;
    assert.deepEqual([winner.line, why.winner_line, rules.length], [Number(match[1]), Number(match[1]), Number(match[2])], say);
    assert.equal(winner.verdict === "allow", allowed, say);
    assert.ok(why.matches.every((rule) => rule.precedence <= winner.precedence), say);
    assert.equal(match[3] === "everybody", why.selection.choice === "everybody", say);
  } else if ((match = /^(\d+) more rules? of the groups? match(es)?$/.exec(text))) {
    assert.equal(matching.length - why.matches.filter((rule) => rule.label !== null).length, Number(match[1]), say);
  } else if ((match = /^by the rules alone the verdict would be (allow|disallow)$/.exec(text))) {
    assert.ok(why.reason === "robots-txt" && match[1] === (why.matches[0]?.verdict ?? "allow"), say);
  } else if ((match = /^by the other rules the verdict would (still )?be (allow|disallow): (?:line (\d+)|none matches)$/.exec(text))) {
    const [, still, verdict, runnerUp] = match;
    // Without the last rule of a group the lines around it may be read as one group: then the file cannot show it.
    const other = new Robots(without(file, why.winner_line), { profile });
    const then = other.explain(asker, url);
    assert.equal(still !== undefined, verdict === why.verdict, say);
    if (then.selection.choice === why.selection.choice && then.selection.rule_count === why.selection.rule_count - 1) {
      assert.equal(then.verdict, verdict, say);
      assert.equal(then.winner_line, runnerUp === undefined ? null : Number(runnerUp), say);
    }
    other.free();
  } else if ((match = /^the groups? for (everybody applies|everybody apply|the crawler applies|the crawler apply)(, because none names the crawler)?: lines? (.*)$/.exec(text))) {
    const isStar = match[1].startsWith("everybody");
    assert.equal(match[2] !== undefined, isStar, say);
    for (const line of lines(match[3])) assert.equal(agentOf(line).names === "everybody", isStar, say);
  } else if ((match = /^what is for everybody else does not apply: lines? (.*)$/.exec(text))) {
    for (const line of lines(match[1])) assert.equal(agentOf(line).names, "everybody", say);
    assert.equal(why.selection.choice, "named", say);
  } else assert.fail(`an unknown sentence: ${text}`);
  policy.free();
}

test("a file that is cut", () => {
  const file = `User-agent: *\nDisallow: /a\n${"# comment of some length\n".repeat(25_000)}Allow: /ab\n`;
  const why = new Robots(file).explain("x", "/ab");
  const said = why.sentences.map(({ text }) => text);
  const wanted = "line 20481 and all after it are ignored, since only whole lines within 512000 bytes are read; in the whole file line 25003 would decide: allow";
  assert.ok(said.includes(wanted), said.join("\n"));
  const lines = (number) => file.split("\n").slice(0, number).join("\n").length;
  assert.ok(lines(20_480) < 512_000 && lines(20_481) > 512_000);
});

test("sites", () => {
  assert.equal(robotsUrl("example.com"), "https://example.com/robots.txt");
  assert.equal(robotsUrl(" http://example.com:8080/a?b "), "http://example.com:8080/robots.txt");
  assert.equal(robotsUrl("bücher.example"), "https://xn--bcher-kva.example/robots.txt");
  assert.equal(robotsUrl("user:secret@example.com"), "https://example.com/robots.txt");
  for (const none of ["", "javascript:alert(1)", "ftp://example.com", "a b", "https://"]) assert.equal(robotsUrl(none), null, none);
});
