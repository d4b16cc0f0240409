// The conformance cases, which are the same for every language: corpora/README.md describes them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { PROFILES, Robots, RobotsieveError } from "robotsieve-full";
import { parse } from "smol-toml";

const folder = new URL("../../corpora/cases/", import.meta.url);

/** All cases, each with its file as bytes and its checks. */
export function cases() {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".toml"))
    .flatMap((name) => parse(readFileSync(new URL(name, folder), "utf8")).case);
}

const text = (value, base64) => (base64 === undefined ? value : new Uint8Array(Buffer.from(base64, "base64")));

test("the cases of corpora/cases, in every profile", (t) => {
  let [count, checks] = [0, 0];
  for (const one of cases()) {
    count += 1;
    const file = text(one.robots, one.robots_base64);
    const names = one.agent?.split(",").map((name) => name.trim());
    const crawler = names ?? { userAgent: one.user_agent };
    for (const profile of PROFILES) {
      const robots = new Robots(file, { profile, spans: "utf16" });
      let policy;
      try {
        policy = robots.policy(crawler);
      } catch (error) {
        // A name that no line can name obeys the group for everybody in the cases. Here it is refused.
        assert.equal(error.code, "invalid-name", one.name);
        continue;
      }
      for (const check of one.checks) {
        const [verdict, line] = (check.all ?? check[profile]).split(":");
        const url = text(check.url, check.url_base64);
        const where = `${one.name}, ${profile}, ${check.url ?? check.url_base64}`;
        checks += 1;
        if (verdict === "invalid") {
          assert.throws(() => policy.isAllowed(url), { code: "invalid-url" }, where);
          assert.throws(() => robots.explain(crawler, url), { code: "invalid-url" }, where);
          assert.deepEqual([...policy.verdicts([url])], [2], where);
          continue;
        }
        const allowed = verdict === "allow";
        assert.equal(policy.isAllowed(url), allowed, where);
        assert.deepEqual([...policy.verdicts([url, url])], allowed ? [1, 1] : [0, 0], where);
        const wanted = line === undefined ? null : Number(line);
        const [decision, why] = [policy.decide(url), robots.explain(crawler, url)];
        assert.deepEqual([decision.verdict, decision.allowed, why.verdict], [verdict, allowed, verdict], where);
        assert.deepEqual([decision.rule?.line ?? null, why.winner_line], [wanted, wanted], where);
        for (const rule of wanted === null ? [] : [decision.rule, why.matches[0]]) {
          const { line_span, value_span, value } = rule;
          assert.equal(robots.text.slice(...value_span), value, where);
          const whole = robots.text.slice(...line_span);
          assert.ok(whole.includes(value) && !/[\r\n]/.test(whole), where);
        }
        const walk = policy.automaton({ url })?.walk;
        // The exception for robots.txt is no part of the automaton.
        if (walk && policy.decide(url).reason !== "robots-txt") assert.equal(walk.verdict, verdict, where);
      }
      policy.free();
      robots.free();
    }
  }
  t.diagnostic(`${count} cases, ${checks} checks`);
  assert.ok(count >= 439 && checks >= 4 * 1200, `${count} cases, ${checks} checks`);
});

test("the files of corpora/answers.json, which every path of the command and of Python reads too", () => {
  const table = JSON.parse(readFileSync(new URL("../../corpora/answers.json", import.meta.url), "utf8"));
  const files = table.filter((one) => (one.file ?? one.file_hex) !== undefined);
  assert.ok(files.length >= 30, `${files.length} files`);
  for (const one of files) {
    const robots = new Robots(one.file ?? new Uint8Array(Buffer.from(one.file_hex, "hex")));
    const policy = robots.policy("FooBot");
    const found = ["/private", "/"].map((path) => (policy.isAllowed(path) ? "allow" : "disallow"));
    assert.deepEqual(found, [one.private, one.root], one.id);
    policy.free();
    robots.free();
  }
});

test("an error is a RobotsieveError", () => {
  assert.throws(() => new Robots("").isAllowed("a", "no url"), RobotsieveError);
});
