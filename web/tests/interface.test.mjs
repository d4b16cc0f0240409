import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";

import * as core from "robotsieve";
import * as known from "robotsieve-known";
import {
  ALLOW, diff, DISALLOW, headerNames, init, INVALID, lintCodes, Policy, PROFILES, Robots, RobotsieveError,
} from "robotsieve-full";

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

const sliced = (text, [start, end]) => text.slice(start, end);
const bytesOf = (text, [start, end]) => new TextDecoder().decode(new TextEncoder().encode(text).subarray(start, end));
const utf16 = { spans: "utf16" };

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

test("URL objects are taken wherever a URL is", () => {
  const robots = new known.Robots(FILE);
  const policy = robots.policy("bot");
  const urls = ["https://e.com/a", "https://e.com/a.html", "https://e.com/%61?x#y", "mailto:a@e.com"].map((url) => new URL(url));
  const texts = urls.map(String);
  assert.deepEqual([...policy.verdicts(urls)], [DISALLOW, ALLOW, DISALLOW, INVALID]);
  assert.deepEqual([...policy.verdicts(["/a", urls[1], new TextEncoder().encode("/b")])], [DISALLOW, ALLOW, ALLOW]);
  for (const [index, url] of urls.slice(0, 3).entries()) {
    const text = texts[index];
    assert.equal(policy.isAllowed(url), policy.isAllowed(text));
    assert.equal(robots.isAllowed("bot", url), robots.isAllowed("bot", text));
    assert.deepEqual(policy.decide(url), policy.decide(text));
    assert.deepEqual(robots.explain("bot", url), robots.explain("bot", text));
    assert.deepEqual(robots.compareProfiles("bot", url), robots.compareProfiles("bot", text));
    assert.deepEqual(policy.automaton({ url }), policy.automaton({ url: text }));
    assert.deepEqual(robots.crawlers({ urls: [url] }), robots.crawlers({ urls: [text] }));
  }
  assert.throws(() => policy.isAllowed(urls[3]), { code: "invalid-url", message: /^"mailto:a@e\.com": / });
  // As `Location` has it; a text without a href is none.
  assert.equal(policy.isAllowed({ href: "https://e.com/a" }), false);
  for (const value of [{ href: 3 }, { toString: () => "/a" }, []]) assert.throws(() => policy.isAllowed(value), TypeError);
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
  const robots = new Robots(FILE, utf16);
  const decision = robots.policy("bot").decide("/aé");
  assert.deepEqual([decision.verdict, decision.allowed, decision.reason, decision.line], ["disallow", false, "rule", 3]);
  assert.equal(sliced(robots.text, decision.rule.line_span), "Disallow: /a");
  assert.equal(sliced(robots.text, decision.rule.value_span), "/a");
  const inBytes = new Robots(FILE).policy("bot").decide("/aé").rule;
  assert.equal(bytesOf(FILE, inBytes.value_span), "/a");
  assert.notDeepEqual(inBytes.value_span, decision.rule.value_span);
  const none = robots.policy("bot").decide("/b");
  assert.deepEqual([none.reason, none.line, none.rule], ["no-match", null, null]);
  assert.equal(robots.policy("bot").decide("/robots.txt").reason, "robots-txt");
  assert.equal(new Robots("").policy("bot").decide("/").reason, "no-group");
  const empty = new Robots("User-agent: *\nDisallow:\n").policy("bot").decide("/");
  assert.deepEqual([empty.reason, empty.line], ["empty-rule", 2]);
});

test("an explanation has the whole story", () => {
  const robots = new Robots(FILE, { ...utf16, name: "my robots.txt" });
  const url = "https://e.com/é/%61.html";
  const why = robots.explain("bot", url);
  assert.deepEqual([why.schema, why.report, why.robots], ["robotsieve-report-1", "explain", "my robots.txt"]);
  assert.deepEqual([why.verdict, why.line, why.profile, why.agent, why.user_agent], ["allow", 4, "rfc9309", "bot", false]);
  assert.deepEqual([why.winner_line, why.runner_up_line, why.verdict_otherwise], [4, null, "allow"]);
  const [winner] = why.matches;
  assert.equal(sliced(url, why.target.url_span), "/é/%61.html");
  assert.equal(why.target.value, "/%C3%A9/a.html");
  assert.equal(sliced(url, winner.url_span), "/é/%61.html");
  assert.equal(sliced(robots.text, winner.line_span), "Allow: /*.html$");
  const pieces = winner.pieces.map((piece) => [
    piece.kind, sliced(robots.text, piece.file_span), sliced(url, piece.url_span), sliced(why.target.value, piece.target_span),
  ]);
  assert.deepEqual(pieces, [
    ["literal", "/", "/", "/"], ["star", "*", "é/%61", "%C3%A9/a"], ["literal", ".html", ".html", ".html"],
    ["end", "$", "", ""],
  ]);
  assert.equal(why.selection.choice, "everybody");
  assert.deepEqual(why.selection.lines.map((line) => line.standing), ["chosen", "unrelated", "unrelated"]);
  assert.match(why.sentences[0].text, /^line 4 decides/);
  const two = robots.explain("bot", "/a.html");
  assert.deepEqual([two.winner_line, two.runner_up_line, two.verdict_otherwise], [4, 3, "disallow"]);
  assert.deepEqual(two.matches.map(({ line, label }) => [line, label]), [[4, "decides"], [3, "runner-up"]]);
  assert.equal(why.cut, null);
  const header = robots.explain({ userAgent: "Mozilla/5.0 (compatible; GPTBot/1.1)" }, "/");
  assert.deepEqual([header.user_agent, header.names.map(({ name }) => name)], [true, ["GPTBot"]]);
  assert.equal(sliced(header.agent, header.names[0].agent_span), "GPTBot");
});

test("a cut file says so", () => {
  const file = `${"# filler\n".repeat(60_000)}User-agent: *\nDisallow: /\n`;
  const robots = new Robots(file);
  const { cut, verdict } = robots.explain("bot", "/x");
  assert.deepEqual([verdict, cut.verdict, cut.matters, cut.limit_bytes], ["allow", "disallow", true, 512_000]);
  assert.equal(robots.extent[1], cut.bytes_read);
});

test("all four profiles", () => {
  const compared = new Robots("User-agent: *\nDisallow: /*.pdf\n").compareProfiles("bot", "/a.pdf");
  assert.deepEqual(compared.explanations.map(({ profile, verdict }) => [profile, verdict]), [
    ["rfc9309", "disallow"], ["google", "disallow"], ["google-classic", "disallow"], ["original-1994", "allow"],
  ]);
  assert.equal(compared.agree, false);
  assert.deepEqual(compared.differences.map(({ profile, causes }) => [profile, causes[0].switch]), [
    ["original-1994", "wildcards"],
  ]);
  assert.match(compared.sentences[0].text, /original-1994 says allow/);
  assert.equal(compared.explanations[0].winner_line, 2);
  const invalid = new Robots("").compareProfiles("bot", "no url");
  assert.deepEqual(invalid.explanations.map(({ verdict }) => verdict), ["invalid", "allow", "invalid", "invalid"]);
  assert.deepEqual(PROFILES, compared.explanations.map(({ profile }) => profile));
  // The targets of the profiles differ, and each has its own places.
  const url = "/é%61😀";
  const places = new Robots("User-agent: *\nDisallow: /é*😀\n", utf16).compareProfiles("bot", url);
  for (const { target, matches } of places.explanations) {
    for (const piece of matches.flatMap((rule) => rule.pieces)) {
      const [start, end] = piece.target_span;
      assert.ok(end <= target.value.length && (start < end || piece.kind !== "literal"));
    }
    const end = target.changes.at(-1)?.target_span[1];
    assert.ok(end === undefined || end === target.value.length, JSON.stringify(target));
  }
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
  assert.deepEqual([name.name, name.certainty, sliced(header, name.agent_span)], ["GPTBot", "compatible", "GPTBot"]);
  assert.deepEqual(headerNames("é GPTBot/1.1").at(0).agent_span, [3, 9]);
  assert.deepEqual(headerNames("é GPTBot/1.1", utf16).at(0).agent_span, [2, 8]);
  assert.throws(() => robots.policy("GPTBot/1.0"), {
    name: "RobotsieveError", code: "invalid-name", probablyMeant: "GPTBot", message: /did you mean 'GPTBot'/, isEvident: true,
  });
  // Taken as given, it finds no group.
  assert.equal(robots.policy({ names: ["GPTBot/1.0"] }).group[0].value, "*");
  // Of names that stand for one another, the first that a group names decides.
  const file = "User-agent: a\nDisallow: /a\n\nUser-agent: b\nDisallow: /b\n";
  const google = new Robots(file, { profile: "google" });
  assert.deepEqual([...google.policy({ firstOf: ["a", "b"] }).verdicts(["/a", "/b"])], [0, 1]);
  assert.deepEqual([...google.policy({ names: ["a", "b"] }).verdicts(["/a", "/b"])], [0, 0]);
  assert.throws(() => robots.policy("GPTBötchen"), { code: "invalid-name", isEvident: false });
  assert.throws(() => robots.policy(header), { code: "invalid-name", message: /pass \{ userAgent: header \}/ });
  assert.equal(robots.policy("*").group[0].value, "*");
});

test("what is in the file", () => {
  const robots = new Robots(FILE, utf16);
  assert.deepEqual(robots.sitemaps, ["https://e.com/s.xml"]);
  assert.deepEqual(robots.tokens, ["*", "GPTBot", "CCBot"]);
  assert.deepEqual(robots.groups.map(({ number, agents }) => [number, agents.map(({ token, names }) => token ?? names)]), [
    [1, ["everybody"]], [2, ["GPTBot", "CCBot"]],
  ]);
  assert.equal(robots.crawlDelay("bot"), 2.5);
  assert.equal(robots.crawlDelay("GPTBot"), null);
  assert.equal(robots.minInterval("bot"), 10);
  const rate = { requests: 1, seconds: 10, window: { from_minute: 360, to_minute: 525 } };
  assert.deepEqual(robots.requestRate("bot"), rate);
  const policy = robots.policy("bot");
  assert.deepEqual([policy.crawlDelay, policy.minInterval, policy.requestRate], [2.5, 10, rate]);
  assert.deepEqual(policy.rules.map(({ line, value, anchored }) => [line, value, anchored]), [
    [4, "/*.html$", true], [3, "/a", false],
  ]);
  for (const { value, value_span } of robots.lines()) assert.equal(sliced(robots.text, value_span), value);
  for (const { agents } of robots.groups) {
    for (const { value, value_span } of agents) assert.equal(sliced(robots.text, value_span), value);
  }
  assert.deepEqual(robots.extent, [0, FILE.length]);
  assert.deepEqual(robots.lines().map(({ field }) => field), [
    "user-agent", "disallow", "allow", "sitemap", "other", "other", "user-agent", "user-agent", "other", "disallow",
  ]);
});

test("records have their meaning", () => {
  const file = `${FILE}\nUser-agent: A\nContent-Usage: train-ai=n\nAllow: /\n`;
  const robots = new known.Robots(file, { name: "robots.txt" });
  const report = robots.records();
  assert.deepEqual([report.report, report.robots, report.profile], ["records", "robots.txt", "rfc9309"]);
  assert.deepEqual(report.records.slice(0, 3).map(({ kind, note }) => [kind, note]), [
    ["sitemap", null], ["crawl-delay", "2.5 s"], ["request-rate", "1 in 10 s, 06:00 to 08:45 UTC"],
  ]);
  assert.deepEqual(robots.records({ crawlers: ["A"] }).records.map(({ kind }) => kind), ["sitemap", "content-usage"]);
  assert.deepEqual(report.records.at(-1).preferences, { path: null, labels: [{ label: "train-ai", preference: "disallow" }], use: null });
  assert.throws(() => robots.records({ paths: ["/x"] }), TypeError);
});

test("lint has findings with positions, and fixes", () => {
  const robots = new Robots(FILE, utf16);
  const report = robots.lint();
  const misspelt = report.findings.find(({ code }) => code === "RS203");
  assert.equal(sliced(robots.text, misspelt.file_span), "Disalow");
  assert.deepEqual([misspelt.line, sliced(robots.text, misspelt.fix.file_span), misspelt.fix.replacement], [11, "Disalow", "Disallow"]);
  assert.equal(misspelt.fix.changes_verdicts, true);
  assert.deepEqual(misspelt.fix.changes[0].newly_disallowed, ["/x"]);
  assert.ok(lintCodes().some(({ code, name }) => code === misspelt.code && name === misspelt.name));
  const [start, end] = misspelt.fix.file_span;
  const edited = robots.text.slice(0, start) + misspelt.fix.replacement + robots.text.slice(end);
  assert.ok(new Robots(edited).lint().findings.every(({ code }) => code !== "RS203"));
  assert.equal(robots.fix().text, FILE);
  const fixed = robots.fix({ apply: "all", codes: ["misspelt-field", "RS405"].filter((code) => isCode(code)) });
  assert.equal(fixed.text, edited.replace("shop/", "/shop/"));
  assert.equal(new TextDecoder().decode(fixed.bytes), fixed.text);
  assert.equal(fixed.report.applied.length, 2);
  assert.match(fixed.report.effect, /disallows URLs such as/);
  assert.ok(fixed.report.left.findings.length < report.findings.length);
  const inAll = robots.lint({ profiles: PROFILES, contentType: "text/html" });
  assert.ok(inAll.findings.length > report.findings.length);
  assert.throws(() => robots.fix({ codes: ["nonsense"] }), RangeError);
  assert.throws(() => robots.lint({ profiles: ["x"] }), RangeError);
});

function isCode(code) {
  return lintCodes().some((one) => one.code === code || one.name === code);
}

test("diff tells what opened and what closed", () => {
  const [before, after] = ["User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /b\nSitemap: https://e.com/s\n"];
  const changed = diff(before, new Robots(after, { name: "after.txt" }));
  assert.deepEqual([changed.report, changed.old_robots, changed.robots, changed.result], ["diff", null, "after.txt", "different"]);
  const [everybody] = changed.crawlers;
  assert.deepEqual([everybody.crawlers, everybody.result, everybody.unproven], [["*"], "different", null]);
  const flips = everybody.newly_disallowed.map(({ path, shortest, extent, label, new: { line } }) => [path, shortest, extent, label, line]);
  assert.deepEqual(flips, [["/b", true, "from", "/b and all below", 2]]);
  assert.deepEqual(everybody.newly_allowed.map(({ path, old }) => [path, old.value]), [["/a", "/a"]]);
  assert.deepEqual(changed.records.map(({ kind, added, crawlers }) => [kind, added[0].value, crawlers]), [
    ["sitemap", "https://e.com/s", null],
  ]);
  // Google does not decode what a rule has escaped.
  const escaped = diff(before, before.replace("/a", "/%61"));
  assert.equal(escaped.result, "different");
  assert.ok(escaped.crawlers.some(({ crawlers, result }) => crawlers.includes("Googlebot") && result === "different"));
  // A profile that is named is that of all.
  const named = { profile: "rfc9309" };
  assert.equal(diff(before, before.replace("/a", "/%61"), named).result, "equal");
  assert.equal(diff(new Robots(before, named), before.replace("/a", "/%61")).result, "equal");
  assert.equal(diff(before, before.replace("Disallow", "disallow")).result, "equal");
  const closed = diff("", "User-agent: *\nDisallow: /", { crawlers: ["GPTBot", { userAgent: "CCBot/2.0" }], examples: 1 });
  assert.deepEqual(closed.crawlers.map(({ crawlers, whole_site }) => [crawlers, whole_site]), [[["GPTBot", "CCBot/2.0"], "closed"]]);
  assert.equal(diff("User-agent: *\nDisallow: /*.pdf", "", { profile: "original-1994" }).crawlers[0].newly_allowed[0].path, "/*.pdf");
});

test("console.log shows what objects have", () => {
  const robots = new Robots("User-agent: *\nDisallow: /a\nAllow: /a/b\nCrawl-delay: 2");
  const policy = robots.policy("bot");
  assert.equal(
    inspect({ policy }, { breakLength: Infinity }),
    "{ policy: Policy { rules: [ 'line 3: allow /a/b', 'line 2: disallow /a' ], crawlDelay: 2, requestRate: null } }",
  );
  assert.match(inspect(robots), /^Robots \{\s+profile: 'rfc9309',[^]*tokens: \[ '\*' \]/);
  policy.free();
  assert.equal(inspect(policy), "Policy (freed)");
});

test("a URL in the place of the crawler, as robots-parser has it, is told", () => {
  for (const profile of PROFILES) {
    const robots = new Robots("User-agent: bot\nDisallow: /a", { profile });
    const wanted = { code: "invalid-name", message: /^(\w+) takes the crawler first, then the URL: \1\("bot", "https:\/\/e\.com\/a"\)/ };
    for (const url of ["https://e.com/a", new URL("https://e.com/a")]) {
      for (const ask of ["isAllowed", "explain", "compareProfiles"]) assert.throws(() => robots[ask](url, "bot"), wanted);
    }
    assert.throws(() => robots.isAllowed("/a", "bot"), { message: /isAllowed\("bot", "\/a"\)/ });
    assert.equal(robots.isAllowed("bot", "/a"), false);
  }
});

test("the automaton as data", () => {
  const policy = new Robots(FILE).policy("bot");
  const url = "/%61b.html";
  const { states, start, walk, whole, state_count } = policy.automaton({ url });
  assert.deepEqual([start, whole, state_count], [0, true, states.length]);
  // Whoever follows the transitions comes where the walk says.
  let at = start;
  for (const { byte, state, label, url_span } of walk.steps) {
    const found = states[at].transitions.find(({ bytes }) => bytes.ranges.some(([a, b]) => a <= byte && byte <= b));
    at = found === undefined ? states[at].otherwise : found.to;
    assert.equal(at, state);
    assert.equal(label, String.fromCharCode(byte));
    assert.ok(sliced(url, url_span) === label || sliced(url, url_span) === "%61");
  }
  assert.deepEqual([walk.verdict, states[at].verdict, walk.stops_early], ["allow", "allow", false]);
  assert.equal(walk.target.value, "/ab.html");
  const part = policy.automaton({ url, maxStates: 2 });
  assert.deepEqual([part.states.length, part.whole, part.state_count], [2, false, states.length]);
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

test("the main package has everything but lint and diff", () => {
  const robots = new core.Robots(FILE);
  assert.equal(robots.isAllowed("bot", "/a"), false);
  assert.equal(robots.explain("bot", "/a").line, 3);
  assert.equal(robots.lint, undefined);
  assert.deepEqual(Object.keys(core).sort(), [
    "ALLOW", "DISALLOW", "INVALID", "OutOfMemoryError", "PROFILES", "Policy", "Robots", "RobotsieveError", "headerNames", "init",
  ]);
});

test("the known crawlers, and what they may read", () => {
  const robots = new known.Robots("User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /x\n", { name: "robots.txt" });
  const report = robots.crawlers({ purposes: ["ai-training"] });
  assert.throws(() => robots.crawlers({ purposes: ["ai"] }), { name: "RangeError", message: 'there is no purpose "ai"' });
  assert.deepEqual([report.report, report.robots, report.pages], ["crawlers", "robots.txt", ["/"]]);
  assert.deepEqual(report.purposes.map(({ title, shut_out, rows }) => [title, shut_out, rows[0].who]), [["AI training", 1, ["GPTBot (line 1)"]]]);
  assert.deepEqual(robots.crawlers({ urls: ["https://e.com/x/1"] }).policies[0].verdicts, ["disallow"]);
  assert.throws(() => robots.crawlers({ urls: ["no url"] }), { code: "invalid-url", message: /'no url' is invalid/ });
  assert.equal(robots.crawlers().crawlers.length, known.knownCrawlers().crawlers.length);
  const profileOf = ({ crawlers }) => crawlers.find(({ token }) => token === "Googlebot").profile;
  assert.equal(profileOf(robots.crawlers()), "google");
  assert.equal(profileOf(new known.Robots("", { profile: "rfc9309" }).crawlers()), "rfc9309");
  assert.deepEqual(known.purposes()[1], { purpose: "ai-training", title: "AI training", description: "Training of AI models" });
  // It ignores the group of `*`, as its operator says.
  assert.equal(robots.policyOfKnown("AdsBot-Google").isAllowed("/x"), true);
  assert.match(robots.noteOfKnown("AdsBot-Google"), /ignores the group of \*/);
  assert.equal(robots.noteOfKnown("GPTBot"), null);
  assert.equal(robots.didYouMean("Googelbot"), "no crawler is known as 'Googelbot': did you mean 'Googlebot'?");
  assert.equal(robots.didYouMean("FooBot"), null);
  assert.throws(() => robots.policyOfKnown("nobody's"), RangeError);
  assert.deepEqual(robots.lint().findings, new Robots(robots.text).lint().findings);
});

test("crawlers are shut out, proven", () => {
  const robots = new known.Robots("User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nUser-agent: ExampleBot\nAllow: /\n");
  const { text, bytes, notes } = robots.block({ purposes: ["ai-training"], crawlers: ["OwnBot"] });
  assert.equal(new TextDecoder().decode(bytes), text);
  assert.match(text, /# Crawlers for AI training\n[^]*User-agent: CCBot\n[^]*Disallow: \/\n/);
  // A purpose leaves in whom the file lets in by name, and a note says so.
  assert.ok(notes.some((note) => note.includes("GPTBot")), notes.join("\n"));
  assert.ok(notes.some((note) => note.startsWith("robots.txt only asks.")), notes.join("\n"));
  const after = new known.Robots(text);
  for (const [name, isAllowed] of [["GPTBot", true], ["CCBot", false], ["OwnBot", false], ["ExampleBot", true], ["Googlebot", true]]) {
    assert.equal(after.isAllowed(name, "/"), isAllowed, name);
  }
  assert.equal(after.isAllowed("Googlebot", "/x"), false);
  const named = new known.Robots(after.block({ crawlers: ["GPTBot"] }).text);
  assert.deepEqual([named.isAllowed("GPTBot", "/"), named.isAllowed("ExampleBot", "/")], [false, true]);
  // Again, nothing changes.
  const again = after.block({ purposes: ["ai-training"] });
  assert.equal(again.text, text);
  assert.ok(again.notes.some((note) => /^(\d+) of \1 crawlers were shut out already/.test(note)), again.notes.join("\n"));
  const utf16 = new known.Robots(Uint8Array.of(0xff, 0xfe, 0x61, 0));
  assert.throws(() => utf16.block({ crawlers: ["GPTBot"] }), { code: "cannot-block", message: "crawlers find no group in a UTF-16 file" });
  assert.throws(() => robots.block({ crawlers: ["Own Bot"] }), { code: "invalid-name", message: /'Own Bot' is not a product token/ });
  assert.throws(() => robots.block({}), RangeError);
  assert.throws(() => robots.block({ purposes: ["ai"] }), { name: "RangeError", message: 'there is no purpose "ai"' });
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

/** The members that `types.ts` declares for an interface; a member in braces counts with its first line. */
function declared(name) {
  const types = readFileSync(new URL("../package/types.ts", import.meta.url), "utf8");
  const [, body] = new RegExp(`^export interface ${name} \\{\n(.*?)^\\}`, "ms").exec(types);
  return [...body.matchAll(/^  (\w+)\??:/gm)].map(([, member]) => member);
}

test("types.ts declares what the module writes, member by member", () => {
  const robots = new Robots(FILE);
  const policy = robots.policy("bot");
  const [group] = robots.groups;
  const automaton = policy.automaton({ url: "/a" });
  const written = {
    Rule: policy.rules[0], Decision: policy.decide("/a"), Line: robots.lines()[0], Group: group, UserAgentLine: group.agents[0],
    Rate: policy.requestRate, HeaderName: headerNames("GPTBot/1.1")[0], LintCode: lintCodes()[0],
    Automaton: automaton, AutomatonState: automaton.states[0], Walk: automaton.walk, WalkStep: automaton.walk.steps[0],
    ByteClass: automaton.states.flatMap(({ transitions }) => transitions)[0].bytes,
  };
  for (const [name, value] of Object.entries(written)) assert.deepEqual(Object.keys(value).sort(), declared(name).sort(), name);
});
