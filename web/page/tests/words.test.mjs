// What the page says: the command's words, and sentences that are true.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { engine, knownCrawlers, root, source } from "./bundle.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { Answers } = await source("engine/answers.ts");
const { Known } = await source("engine/known.ts");
const reach = await source("engine/reach.ts");
const words = await source("engine/words.ts");
const { PURPOSE_TITLES } = await source("engine/known.ts");
const { sentences, urlMeant, urlParts, numbered, robotsUrl } = await source("sentences.ts");
const { PROFILE_NAMES } = await source("profiles.ts");
const { Robots, PROFILES } = await engine();
const known = new Known(await knownCrawlers());

test("a URL without its scheme is told from what is none", () => {
  assert.equal(urlMeant("example.com/x"), "https://example.com/x");
  assert.equal(urlMeant("a.b.example:8080"), "https://a.b.example:8080");
  for (const other of ["nothing", "no url", "mailto:a@b.example", "a..b", "ftp://a.example/", "1.2 x"]) assert.equal(urlMeant(other), null, other);
});

test("the names of the profiles are the engine's", () => assert.deepEqual([...PROFILE_NAMES], [...PROFILES]));

/** The page's table in the layout of `robotsieve crawlers`, one space for each white space. */
function asText(table) {
  const { pages } = table;
  const lines = [pages.length === 1 ? "page:" : "pages, one for each column:"];
  pages.forEach((page, index) => lines.push(pages.length === 1 ? page : `${index + 1} ${page}`));
  for (const purpose of reach.purposesOf(table)) {
    lines.push(`${PURPOSE_TITLES[purpose]}: ${words.summary(table, purpose)}`);
    const all = reach.ofPurpose(table, purpose).length;
    for (const { class: row, crawlers } of reach.rows(table, purpose)) {
      lines.push([...row.verdicts.map((allowed) => (allowed ? "allow" : "disallow")), words.reads(row)].join(" "));
      lines.push(words.crawlers(crawlers, all).join(", "));
    }
  }
  for (const note of words.notes(table.crawlers.map((crawler) => crawler.known))) lines.push(`note: ${note}`);
  return lines.join(" ").replaceAll(/\s+/g, " ").trim();
}

// Written by `robotsieve crawlers --profile PROFILE FILE`; expected/README says how to write them anew.
for (const name of (await readdir(join(here, "expected"))).filter((name) => name.startsWith("crawlers-"))) {
  test(`who may read what, as the command says it: ${name}`, async () => {
    const [, file, profile] = /^crawlers-(.+?)-(rfc9309|google-classic|google|original-1994)\.txt$/.exec(name);
    const path = ["ai", "shop"].includes(file) ? join(here, `../examples/${file}.txt`) : join(root, `corpora/robots/${file}.example.txt`);
    const answers = new Answers(await readFile(path, "utf8"), known);
    const expected = (await readFile(join(here, "expected", name), "utf8")).replaceAll(/\s+/g, " ").trim();
    assert.equal(asText(answers.crawlers(profile)), expected);
    answers.free();
  });
}

test("a purpose's column counts what its members' own columns say", async () => {
  const file = await readFile(join(root, "corpora/robots/news.example.txt"), "utf8");
  const answers = new Answers(`User-agent: AdsBot-Google\nDisallow: /only-ads\n\n${file}`, known);
  const urls = ["/", "/search", "/licence", "/only-ads", "/press/x", "not a url"];
  for (const profile of PROFILES) {
    for (const purpose of ["ai-training", "search", "ads"]) {
      const [column] = answers.table(profile, [{ kind: "purpose", purpose }], urls);
      const table = answers.crawlers(profile);
      urls.forEach((url, index) => {
        let [disallowed, invalid] = [0, 0];
        for (const { known: crawler, by } of reach.ofPurpose(table, purpose)) {
          const names = [crawler.token, ...crawler.after];
          const file = new Robots(by.kind === "ignores-star" ? "" : answers.file, { profile });
          const [verdict] = file.policy(profile === "google" && /[\d.]/.test(names.join()) ? "*" : names).verdicts([url]);
          if (verdict === 0) disallowed += 1;
          if (verdict === 2) invalid = 1;
          file.free();
        }
        assert.equal(column.disallowed[index], disallowed, `${profile} ${purpose} ${url}`);
        assert.equal(column.invalid[index], invalid);
        if (invalid) return;
        const members = answers.members(profile, { kind: "purpose", purpose }, url);
        assert.equal(members.disallowed.length, disallowed);
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
        const robots = new Robots(of.robots, { profile });
        for (const { url } of of.checks) {
          if (url === undefined) continue;
          let why;
          try {
            why = robots.explain(asker, url);
          } catch {
            continue;
          }
          for (const { text } of sentences(why)) {
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
  let match;
  if (text.startsWith("No group of the file")) {
    assert.ok(allowed && rules.length === 0, say);
    assert.ok(policy.isAllowed("http://a.example/") && policy.isAllowed("http://a.example/any/thing?x=1"), say);
  } else if ((match = /^No rule for this crawler matches \(it has ([\d,]+) rules?\)/.exec(text))) {
    assert.ok(allowed && Number(match[1]) === rules.length && why.matchCount === 0, say);
  } else if (text.startsWith("The rules for this crawler have an empty value")) {
    assert.ok(allowed && rules.length === 0, say);
  } else if (text.startsWith("/robots.txt itself")) {
    assert.ok(allowed && /\/robots\.txt/.test(url), say);
  } else if ((match = /^Line (\d+) decides\. It is (the only rule|one of ([\d,]+) rules) for this crawler(.*)\.$/.exec(text))) {
    assert.equal(why.winner.line, Number(match[1]), say);
    assert.equal(rules.length, match[3] === undefined ? 1 : Number(match[3]), say);
    assert.equal(why.winner.verdict === "allow", allowed, say);
    if (match[4] === ", the only one that matches" || match[4] === ", and it matches") assert.equal(why.matchCount, 1, say);
    else {
      assert.equal(Number(/; (\d+) match, none with a higher precedence/.exec(match[4])[1]), why.matchCount, say);
      assert.ok(why.matches.every((rule) => rule.precedence <= why.winner.precedence), say);
    }
  } else if ((match = /^Without line (\d+) the verdict would (still be|be) (allow|disallow)(: the runner-up is line (\d+)|: no other rule matches)?\.$/.exec(text))) {
    const [, line, still, verdict, , runnerUp] = match;
    // Without the last rule of a group the lines around it may be read as one group: then the file cannot show it.
    const other = new Robots(without(file, Number(line)), { profile });
    const then = other.explain(asker, url);
    assert.equal(still === "still be", verdict === why.verdict, say);
    if (then.selection.choice === why.selection.choice && then.ruleCount === why.ruleCount - 1) {
      assert.equal(then.verdict, verdict, say);
      if (runnerUp !== undefined) assert.equal(then.winner?.line, Number(runnerUp), say);
      else assert.equal(then.winner, null, say);
    }
    other.free();
  } else if (text.startsWith("Without this exception")) {
    assert.equal(why.reason, "robots-txt", say);
  } else if ((match = /^(No group names this crawler, so it obeys the one for everybody|Its group is the one that names it): lines? (.*)\.$/.exec(text))) {
    const value = (line) => file.split(/\r\n|\r|\n/)[line - 1];
    const star = match[1].startsWith("No group");
    for (const line of match[2].match(/\d+(?! more)/g).map(Number)) {
      assert.ok(robots.groups.some((group) => group.agents.some((agent) =>
        agent.line === line && (agent.names === "everybody") === star)), `${say} ${value(line)}`);
    }
  } else if ((match = /^So the group for everybody else, line (\d+), does not count for it\.$/.exec(text))) {
    assert.ok(robots.groups.some((group) => group.agents.some((agent) =>
      agent.line === Number(match[1]) && agent.names === "everybody")), say);
  } else if (text.startsWith("Only the first")) {
    assert.ok(why.cut !== null, say);
  } else assert.fail(`an unknown sentence: ${text}`);
  policy.free();
}

test("a file that is cut", () => {
  const file = `User-agent: *\nDisallow: /a\n${"# comment of some length\n".repeat(25_000)}Allow: /ab\n`;
  const why = new Robots(file).explain("x", "/ab");
  const said = sentences(why).map(({ text }) => text);
  assert.ok(said.includes("Only the first 512,000 bytes of the file are read: not line 20481 and what follows. The whole file would say allow by line 25003."), said.join("\n"));
  const lines = (number) => file.split("\n").slice(0, number).join("\n").length;
  assert.ok(lines(20_480) < 512_000 && lines(20_481) > 512_000);
});

test("numbers and sites", () => {
  assert.equal(numbered([3]), "3");
  assert.equal(numbered([3, 5]), "3 and 5");
  assert.equal(numbered([3, 5, 9]), "3, 5 and 9");
  assert.equal(numbered([3, 5, 9, 11, 12]), "3, 5, 9 and 2 more");
  assert.equal(robotsUrl("example.com"), "https://example.com/robots.txt");
  assert.equal(robotsUrl(" http://example.com:8080/a?b "), "http://example.com:8080/robots.txt");
  assert.equal(robotsUrl("bücher.example"), "https://xn--bcher-kva.example/robots.txt");
  assert.equal(robotsUrl("user:secret@example.com"), "https://example.com/robots.txt");
  for (const none of ["", "javascript:alert(1)", "ftp://example.com", "a b", "https://"]) assert.equal(robotsUrl(none), null, none);
});
