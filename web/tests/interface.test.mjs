import assert from "node:assert/strict";
import { test } from "node:test";

import * as core from "robotsieve/core";
import {
  ALLOW, diff, DISALLOW, headerNames, init, INVALID, lintCodes, Policy, PROFILES, Robots, RobotsieveError,
} from "robotsieve";

const FILE = `# é😀
User-agent: *
Disallow: /a
Allow: /*.html$
Sitemap: https://e.com/s.xml
Crawl-delay: 2.5
Request-rate: 1/10 0600-0845

User-agent: GPTBot
User-agent: CCBot
Disalow: /x
Disallow: shop/
`;

const sliced = (text, { start, end }) => text.slice(start, end);
const bytesOf = (text, { startByte, endByte }) =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(startByte, endByte));

test("verdicts one by one and many at once", () => {
  const policy = new Robots(FILE).policy("bot");
  assert.equal(policy.isAllowed("https://e.com/a"), false);
  assert.equal(policy.isAllowed("/%61.html"), true);
  assert.equal(policy.isAllowed(new TextEncoder().encode("/a")), false);
  const urls = ["/a", "https://e.com/", "no url", new TextEncoder().encode("/a.html"), "/a\nb", ""];
  const wanted = [DISALLOW, ALLOW, INVALID, ALLOW, DISALLOW, INVALID];
  assert.deepEqual([...policy.verdicts(urls)], wanted);
  assert.ok(policy.verdicts(urls) instanceof Uint8Array);
  assert.deepEqual([...policy.verdicts(new Set(urls))], wanted);
  assert.deepEqual([...policy.verdicts(urls.filter((url) => typeof url === "string"))], [0, 1, 2, 0, 2]);
  assert.equal(policy.verdicts([]).length, 0);
  assert.deepEqual([...policy.verdicts([""])], [INVALID]);
  assert.deepEqual([...policy.verdicts(["\n"])], [INVALID]);
});

test("verdicts in several chunks are the same as one by one", () => {
  const policy = new Robots(FILE).policy("bot");
  const urls = Array.from({ length: 20_000 }, (_, n) => `https://e.com/${n % 3 ? "b" : "a"}${"é".repeat(n % 50)}${n}`);
  urls[7] = "x";
  urls[19_999] = "/a\n";
  const answers = policy.verdicts(urls);
  urls.forEach((url, n) => {
    let wanted = INVALID;
    try {
      wanted = policy.isAllowed(url) ? ALLOW : DISALLOW;
    } catch (error) {
      assert.equal(error.code, "invalid-url");
    }
    assert.equal(answers[n], wanted, url);
  });
});

test("a decision says where the rule is", () => {
  const robots = new Robots(FILE);
  const decision = robots.policy("bot").decide("/aé");
  assert.deepEqual([decision.verdict, decision.allowed, decision.reason, decision.line], ["disallow", false, "rule", 3]);
  assert.equal(sliced(robots.text, decision.rule.lineSpan), "Disallow: /a");
  assert.equal(sliced(robots.text, decision.rule.valueSpan), "/a");
  assert.equal(bytesOf(FILE, decision.rule.valueSpan), "/a");
  const none = robots.policy("bot").decide("/b");
  assert.deepEqual([none.reason, none.line, none.rule], ["no-match", null, null]);
  assert.equal(robots.policy("bot").decide("/robots.txt").reason, "robots-txt");
  assert.equal(new Robots("").policy("bot").decide("/").reason, "no-group");
  const empty = new Robots("User-agent: *\nDisallow:\n").policy("bot").decide("/");
  assert.deepEqual([empty.reason, empty.line], ["empty-rule", 2]);
});

test("an explanation has the whole story", () => {
  const robots = new Robots(FILE);
  const url = "https://e.com/é/%61.html";
  const why = robots.explain("bot", url);
  assert.deepEqual([why.verdict, why.line, why.profile, why.crawler], ["allow", 4, "rfc9309", ["bot"]]);
  assert.equal(why.winner, why.matches[0]);
  assert.equal(why.rule, why.winner);
  assert.equal(why.runnerUp, null);
  assert.equal(why.verdictOtherwise, "allow");
  assert.equal(sliced(url, why.target.urlSpan), "/é/%61.html");
  assert.equal(why.target.text, "/%C3%A9/a.html");
  assert.equal(sliced(url, why.winner.urlSpan), "/é/%61.html");
  const pieces = why.winner.pieces.map((piece) => [
    piece.kind, sliced(robots.text, piece.fileSpan), sliced(url, piece.urlSpan), sliced(why.target.text, piece.targetSpan),
  ]);
  assert.deepEqual(pieces, [
    ["literal", "/", "/", "/"], ["star", "*", "é/%61", "%C3%A9/a"], ["literal", ".html", ".html", ".html"],
    ["end", "$", "", ""],
  ]);
  assert.equal(why.selection.choice, "everybody");
  assert.deepEqual(why.selection.lines.map((line) => line.standing), ["chosen", "unrelated", "unrelated"]);
  const two = robots.explain("bot", "/a.html");
  assert.deepEqual([two.winner.line, two.runnerUp.line, two.verdictOtherwise], [4, 3, "disallow"]);
  assert.equal(two.runnerUp, two.matches[1]);
  assert.equal(why.cut, null);
});

test("a cut file says so", () => {
  const file = `${"# filler\n".repeat(60_000)}User-agent: *\nDisallow: /\n`;
  const robots = new Robots(file);
  const { cut, verdict } = robots.explain("bot", "/x");
  assert.deepEqual([verdict, cut.verdict, cut.matters, cut.limitBytes], ["allow", "disallow", true, 512_000]);
  assert.equal(robots.extent.end, cut.bytesRead);
});

test("all four profiles", () => {
  const compared = new Robots("User-agent: *\nDisallow: /*.pdf\n").compareProfiles("bot", "/a.pdf");
  assert.deepEqual(compared.answers.map(({ profile, verdict }) => [profile, verdict]), [
    ["rfc9309", "disallow"], ["google", "disallow"], ["google-classic", "disallow"], ["original-1994", "allow"],
  ]);
  assert.equal(compared.agree, false);
  assert.deepEqual(compared.differences.map(({ profile, causes }) => [profile, causes[0].switch]), [
    ["original-1994", "wildcards"],
  ]);
  assert.match(compared.sentence, /original-1994 says allow/);
  assert.equal(compared.answers[0].explanation.winner.line, 2);
  const invalid = new Robots("").compareProfiles("bot", "no url");
  assert.deepEqual(invalid.answers.map(({ verdict }) => verdict), ["invalid", "allow", "invalid", "invalid"]);
  assert.deepEqual(PROFILES, compared.answers.map(({ profile }) => profile));
});

test("a path that begins with two slashes", () => {
  const file = "User-agent: *\nDisallow: /y\nDisallow: //x\n";
  const answers = (profile) => [...new Robots(file, { profile }).policy("bot").verdicts(["//x", "//x/y", "//a/y", "https://a//x"])];
  // google/robotstxt takes what is between the slashes for a host.
  assert.deepEqual(answers("google"), [ALLOW, DISALLOW, DISALLOW, DISALLOW]);
  for (const profile of PROFILES.filter((profile) => profile !== "google")) {
    assert.deepEqual(answers(profile), [DISALLOW, DISALLOW, ALLOW, DISALLOW], profile);
  }
});

test("who asks", () => {
  const robots = new Robots(FILE);
  const header = "Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)";
  assert.deepEqual(robots.policy({ userAgent: header }).group.map(({ value }) => value), ["GPTBot", "CCBot"]);
  assert.deepEqual(robots.policy(["GPTBot-Images", "CCBot"]).group.map(({ line }) => line), [9, 10]);
  const [name] = headerNames(header);
  assert.deepEqual([name.name, name.certainty, sliced(header, name.span)], ["GPTBot", "compatible", "GPTBot"]);
  assert.throws(() => robots.policy("GPTBot/1.0"), {
    name: "RobotsieveError", code: "invalid-name", probablyMeant: "GPTBot", message: /did you mean "GPTBot"/,
  });
  assert.throws(() => robots.policy(header), { code: "invalid-name", message: /pass \{ userAgent: header \}/ });
  assert.equal(robots.policy("*").group[0].value, "*");
});

test("what is in the file", () => {
  const robots = new Robots(FILE);
  assert.deepEqual(robots.sitemaps, ["https://e.com/s.xml"]);
  assert.deepEqual(robots.tokens, ["*", "GPTBot", "CCBot"]);
  assert.deepEqual(robots.groups.map(({ number, agents }) => [number, agents.map(({ token, names }) => token ?? names)]), [
    [1, ["everybody"]], [2, ["GPTBot", "CCBot"]],
  ]);
  assert.equal(robots.crawlDelay("bot"), 2.5);
  assert.equal(robots.crawlDelay("GPTBot"), null);
  assert.equal(robots.minInterval("bot"), 10);
  const rate = { requests: 1, seconds: 10, window: { fromMinute: 360, toMinute: 525 } };
  assert.deepEqual(robots.requestRate("bot"), rate);
  const policy = robots.policy("bot");
  assert.deepEqual([policy.crawlDelay, policy.minInterval, policy.requestRate], [2.5, 10, rate]);
  assert.deepEqual(policy.rules.map(({ line, value, anchored }) => [line, value, anchored]), [
    [4, "/*.html$", true], [3, "/a", false],
  ]);
  for (const { value, valueSpan } of robots.records()) assert.equal(sliced(robots.text, valueSpan), value);
  assert.deepEqual(robots.records().map(({ field }) => field), [
    "user-agent", "disallow", "allow", "sitemap", "other", "other", "user-agent", "user-agent", "other", "disallow",
  ]);
});

test("lint has findings with positions, and fixes", () => {
  const robots = new Robots(FILE);
  const report = robots.lint();
  const misspelt = report.findings.find(({ code }) => code === "RS203");
  assert.equal(sliced(robots.text, misspelt.span), "Disalow");
  assert.deepEqual([misspelt.line, sliced(robots.text, misspelt.fix.span), misspelt.fix.replacement], [11, "Disalow", "Disallow"]);
  assert.equal(misspelt.fix.changesVerdicts, true);
  assert.deepEqual(misspelt.fix.changes[0].newlyDisallowed, ["/x"]);
  assert.ok(lintCodes().some(({ code, name }) => code === misspelt.code && name === misspelt.name));
  const { start, end } = misspelt.fix.span;
  const edited = robots.text.slice(0, start) + misspelt.fix.replacement + robots.text.slice(end);
  assert.ok(new Robots(edited).lint().findings.every(({ code }) => code !== "RS203"));
  assert.equal(robots.fix().text, FILE);
  const fixed = robots.fix({ apply: "all", codes: ["misspelt-field", "RS405"].filter((code) => known(code)) });
  assert.equal(fixed.text, edited.replace("shop/", "/shop/"));
  assert.equal(new TextDecoder().decode(fixed.bytes), fixed.text);
  assert.equal(fixed.applied.length, 2);
  assert.match(fixed.effect, /disallows URLs such as/);
  assert.ok(fixed.report.findings.length < report.findings.length);
  const inAll = robots.lint({ profiles: PROFILES, contentType: "text/html" });
  assert.ok(inAll.findings.length > report.findings.length);
  assert.throws(() => robots.fix({ codes: ["nonsense"] }), RangeError);
  assert.throws(() => robots.lint({ profiles: ["x"] }), RangeError);
});

function known(code) {
  return lintCodes().some((one) => one.code === code || one.name === code);
}

test("diff tells what opened and what closed", () => {
  const [before, after] = ["User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /b\nSitemap: https://e.com/s\n"];
  const changed = diff(before, new Robots(after));
  assert.equal(changed.isEqual, false);
  const [everybody] = changed.crawlers;
  assert.deepEqual([everybody.crawlers, everybody.result, everybody.unproven], [["*"], "different", null]);
  assert.deepEqual(everybody.closed.map(({ path, isShortest, extent, after }) => [path, isShortest, extent, after.line]), [
    ["/b", true, { kind: "from", prefix: "/b" }, 2],
  ]);
  assert.deepEqual(everybody.opened.map(({ path, before }) => [path, before.value]), [["/a", "/a"]]);
  assert.deepEqual(changed.records.map(({ kind, added, crawlers }) => [kind, added[0].value, crawlers]), [
    ["sitemap", "https://e.com/s", null],
  ]);
  assert.equal(diff(before, before.replace("/a", "/%61")).isEqual, true);
  const closed = diff("", "User-agent: *\nDisallow: /", { crawlers: ["GPTBot", { userAgent: "CCBot/2.0" }], examples: 1 });
  assert.deepEqual(closed.crawlers.map(({ crawlers, wholeSite }) => [crawlers, wholeSite]), [[["GPTBot", "CCBot"], "closed"]]);
  assert.equal(diff("User-agent: *\nDisallow: /*.pdf", "", { profile: "original-1994" }).crawlers[0].opened[0].path, "/*.pdf");
});

test("the automaton as data", () => {
  const policy = new Robots(FILE).policy("bot");
  const url = "/%61b.html";
  const { states, start, walk, isWhole, stateCount } = policy.automaton({ url });
  assert.deepEqual([start, isWhole, stateCount], [0, true, states.length]);
  // Whoever follows the transitions comes where the walk says.
  let at = start;
  for (const { byte, state, label, urlSpan } of walk.steps) {
    const found = states[at].transitions.find(({ bytes }) => bytes.ranges.some(([a, b]) => a <= byte && byte <= b));
    at = found === undefined ? states[at].otherwise : found.to;
    assert.equal(at, state);
    assert.equal(label, String.fromCharCode(byte));
    assert.ok(sliced(url, urlSpan) === label || sliced(url, urlSpan) === "%61");
  }
  assert.deepEqual([walk.verdict, states[at].verdict, walk.stopsEarly], ["allow", "allow", false]);
  assert.equal(walk.target.text, "/ab.html");
  const part = policy.automaton({ url, maxStates: 2 });
  assert.deepEqual([part.states.length, part.isWhole, part.stateCount], [2, false, states.length]);
  assert.equal(policy.automaton().walk, null);
  assert.match(policy.toDot(), /^digraph/);
  assert.equal(policy.engine, "dfa");
  assert.throws(() => policy.automaton({ maxStates: 0 }), RangeError);
  assert.throws(() => policy.automaton({ url: "no url" }), { code: "invalid-url" });
});

test("a policy over the limits has no automaton, and says why", () => {
  const rules = Array.from({ length: 60 }, (_, n) => `Disallow: /*${n}*a*b*c*${n}*d*e*f*x${n}`);
  const policy = new Robots(`User-agent: *\n${rules.join("\n")}`).policy("bot");
  assert.equal(policy.limitHit, null);
  policy.compile();
  assert.equal(policy.automaton(), null);
  assert.equal(policy.toDot(), null);
  assert.ok(policy.limitHit.length > 0 && policy.engine !== "dfa");
  assert.equal(policy.isAllowed("/x"), true);
});

test("core has everything but lint and diff", () => {
  const robots = new core.Robots(FILE);
  assert.equal(robots.isAllowed("bot", "/a"), false);
  assert.equal(robots.explain("bot", "/a").line, 3);
  assert.equal(robots.lint, undefined);
  assert.deepEqual(Object.keys(core).sort(), [
    "ALLOW", "DISALLOW", "INVALID", "PROFILES", "Policy", "Robots", "RobotsieveError", "headerNames", "init",
  ]);
});

test("init is there everywhere", async () => {
  assert.equal(await init(), undefined);
  assert.equal(await core.init(), undefined);
});

test("types are classes", () => {
  const policy = new Robots("").policy("a");
  assert.ok(policy instanceof Policy);
  assert.ok(new RobotsieveError("freed", "x") instanceof Error);
});
