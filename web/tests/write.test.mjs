// Building files, and the robots.txt of frameworks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildRobotsTxt, CannotBuildError, fromNext, fromNuxt, nextRobots, nuxtRobots, Robots } from "robotsieve-write";

const faults = (build) => {
  try {
    build();
  } catch (error) {
    assert(error instanceof CannotBuildError, String(error));
    assert.equal(error.code, "cannot-build");
    return error.faults.map(({ place }) => place);
  }
  assert.fail("it was built");
};

test("URL objects are taken for sitemaps, licences and sites", () => {
  const [sitemap, license] = [new URL("https://e.com/s.xml"), new URL("https://e.com/rsl.xml")];
  const groups = (license) => [{ crawlers: "*", license }];
  const texts = buildRobotsTxt({ groups: groups(String(license)), sitemap: [String(sitemap)], license: String(license) });
  assert.deepEqual(buildRobotsTxt({ groups: groups([license]), sitemap: [sitemap], license }), texts);
  assert.deepEqual(buildRobotsTxt({ groups: groups(license), sitemap, license: [license] }), texts);
  assert.match(texts.text, /^Sitemap: https:\/\/e\.com\/s\.xml$/m);
  const nuxt = { disallow: "/a", sitemap: "/s.xml" };
  assert.deepEqual(nuxtRobots(nuxt, { site: new URL("https://e.com") }), nuxtRobots(nuxt, { site: "https://e.com" }));
  assert.deepEqual(fromNuxt(nuxt, { site: new URL("https://e.com/") }).sitemap, ["https://e.com/s.xml"]);
});

test("a file is built", () => {
  const { text, notes, profiles } = buildRobotsTxt({
    comment: "Ours",
    groups: [
      { crawlers: "FooBot", disallow: "/", allow: ["/press/"], content_signal: "ai-train=no" },
      { crawlers: ["*"], disallow: ["/cart", "/cart/old"], disallow_path: "/a b$", crawl_delay: 2.5, other: "Request-rate: 1/5" },
    ],
    sitemap: "https://e.com/s.xml",
    expect: ["disallow FooBot /", "allow Googlebot /"],
    profiles: ["rfc9309", "google"],
  });
  assert.equal(text, `# Ours

User-agent: FooBot
Content-Signal: ai-train=no
Allow: /press/
Disallow: /

User-agent: *
Request-rate: 1/5
Disallow: /cart
Disallow: /a%20b$*
Crawl-delay: 2.5

Sitemap: https://e.com/s.xml
`);
  assert.deepEqual([notes.length, profiles], [1, ["rfc9309", "google"]]);
  assert.match(notes[0], /^these known crawlers ignore the group of \*/);
  assert.equal(buildRobotsTxt({}).text, "");
});

test("what is wrong has a place", () => {
  assert.deepEqual(
    faults(() => buildRobotsTxt({ sitemap: ["/s.xml"] })),
    ["sitemap[0]"],
  );
  assert.deepEqual(
    faults(() => buildRobotsTxt({ groups: [{ crawlers: ["a", "b c"], disallow: ["/", "x\nAllow: /"] }] })),
    ["groups[0].crawlers[1]", "groups[0].disallow[1]"],
  );
  try {
    buildRobotsTxt({ groups: [{ crawlers: "*", allow: "/index.html", disallow: "/" }] });
    assert.fail();
  } catch (error) {
    assert.match(error.message, /^groups\[0\]\.allow\[0\]: profile google would allow \/ for \*/);
    assert(error.isUnproven);
  }
  assert.throws(() => buildRobotsTxt({ sitemaps: "x" }), /there is no option "sitemaps"/);
  assert.throws(() => buildRobotsTxt({ groups: [{ crawler: "x" }] }), /there is no option "crawler"/);
  assert.throws(() => buildRobotsTxt({ groups: ["x"] }), TypeError);
  assert.throws(() => buildRobotsTxt({ groups: [{ crawlers: 3 }] }), TypeError);
  assert.throws(() => buildRobotsTxt({ profiles: "bing" }), RangeError);
  assert.throws(() => buildRobotsTxt({ groups: [{ crawlers: "a", crawl_delay: "1" }] }), TypeError);
});

/** What Next.js 16 makes of its object (`resolveRobots`). */
function asNextWrites({ rules, host, sitemap }) {
  const several = (value) => (Array.isArray(value) ? value : [value]);
  let text = "";
  for (const rule of several(rules)) {
    for (const agent of several(rule.userAgent || ["*"])) text += `User-Agent: ${agent}\n`;
    for (const allow of rule.allow ? several(rule.allow) : []) text += `Allow: ${allow}\n`;
    for (const disallow of rule.disallow ? several(rule.disallow) : []) text += `Disallow: ${disallow}\n`;
    if (rule.crawlDelay) text += `Crawl-delay: ${rule.crawlDelay}\n`;
    for (const [key, value] of Object.entries(rule.other ?? {})) for (const one of several(value)) text += `${key}: ${one}\n`;
    text += "\n";
  }
  if (host) text += `Host: ${host}\n`;
  for (const one of sitemap ? several(sitemap) : []) text += `Sitemap: ${one}\n`;
  return text;
}

test("the robots object of Next.js", () => {
  const one = nextRobots({ rules: { disallow: "/private/" }, sitemap: "https://e.com/s.xml" });
  assert.equal(asNextWrites(one), "User-Agent: *\nDisallow: /private/\n\nSitemap: https://e.com/s.xml\n");
  const many = {
    rules: [
      { userAgent: ["FooBot", "BarBot"], allow: "/a b", disallow: ["/", "/x"], crawlDelay: 2 },
      { userAgent: "Free", allow: "/", disallow: "", other: { "Request-rate": "1/5", "Clean-param": ["ref /a/", "utm /"] } },
      { userAgent: "@ai-training", disallow: "/" },
      { userAgent: "*", disallow: "/cart" },
    ],
    host: "e.com",
    sitemap: ["https://e.com/s.xml"],
  };
  const text = asNextWrites(nextRobots(many, { expect: ["disallow @ai-training /", "allow Googlebot /"], profiles: "rfc9309" }));
  const robots = new Robots(text);
  assert.deepEqual(
    ["FooBot", "Free", "GPTBot", "Other"].map((name) => ["/", "/a b/c", "/cart"].map((path) => robots.isAllowed(name, path))),
    [[false, true, false], [true, true, true], [false, false, false], [true, true, false]],
  );
  assert.match(text, /^User-Agent: FooBot\nUser-Agent: BarBot\nAllow: \/a%20b\nDisallow: \/\nCrawl-delay: 2\n\nUser-Agent: Free\nAllow: \/\nRequest-rate: 1\/5\nClean-param: ref \/a\/\nClean-param: utm \/\n\n/);
  assert(text.endsWith("Host: e.com\nSitemap: https://e.com/s.xml\n"), text);
  // Where a crawler would read it otherwise, the build fails.
  assert.deepEqual(faults(() => nextRobots({ rules: { allow: "/index.html", disallow: "/" } })), ["groups[0].allow[0]"]);
  assert.deepEqual(faults(() => nextRobots({ rules: { disallow: "/" } }, { expect: "allow Googlebot /" })), ["expect[0]"]);
  assert.deepEqual(faults(() => nextRobots({ rules: { disallow: "cart" } })), ["groups[0].disallow[0]"]);
  assert.throws(() => nextRobots({ rule: [] }), /there is no option "rule"/);
  assert.deepEqual(fromNext({ rules: { userAgent: "a" } }).groups[0].crawlers, ["a"]);
});

/** What @nuxtjs/robots 6 makes of its groups (`generateRobotsTxt`). */
function asNuxtWrites(groups) {
  const fields = [
    ["#", "comment"], ["User-agent:", "userAgent"], ["Allow:", "allow"], ["Disallow:", "disallow"], ["Clean-param:", "cleanParam"],
    ["Content-Usage:", "contentUsage"], ["Content-Signal:", "contentSignal"],
  ];
  return groups.flatMap((group) => [...fields.flatMap(([name, key]) => group[key].map((value) => `${name} ${value}`)), ""]).join("\n");
}

test("the options of @nuxtjs/robots", () => {
  const options = {
    disallow: ["/secret"],
    allow: "/secret/open",
    groups: [
      { userAgent: ["FooBot"], disallow: "/", comment: "No foo", contentSignal: { "ai-train": "no", search: "yes" } },
      { userAgent: "@archive", disallow: ["/"], contentUsage: ["train-ai=n"], cleanParam: "ref /a/" },
    ],
    sitemap: ["/sitemap.xml"],
    credits: false,
  };
  const checked = nuxtRobots(options, { expect: ["disallow FooBot /", "allow * /"], site: "https://e.com/" });
  assert.deepEqual([checked.credits, checked.sitemap, checked.allow, checked.disallow], [false, ["/sitemap.xml"], [], []]);
  const [foo, archive, all] = checked.groups;
  assert.deepEqual(foo, {
    comment: ["No foo"], userAgent: ["FooBot"], allow: [], disallow: ["/"],
    contentUsage: [], contentSignal: ["ai-train=no, search=yes"], cleanParam: [],
  });
  assert(archive.userAgent.includes("ia_archiver"), archive.userAgent.join());
  assert.deepEqual([archive.contentUsage, archive.cleanParam], [["train-ai=n"], ["ref /a/"]]);
  assert.deepEqual([all.userAgent, all.allow, all.disallow], [["*"], ["/secret/open"], ["/secret"]]);
  const robots = new Robots(asNuxtWrites(checked.groups));
  assert.deepEqual(
    ["FooBot", "ia_archiver", "Other"].map((name) => ["/", "/secret/x", "/secret/open"].map((path) => robots.isAllowed(name, path))),
    [[false, false, false], [false, false, false], [true, false, true]],
  );
  // Nuxt.js writes nothing for a group without rules, which would run into the next one.
  const [free] = nuxtRobots({ groups: [{ userAgent: "Free" }, { userAgent: "*", disallow: "/" }] }).groups;
  assert.deepEqual([free.userAgent, free.allow], [["Free"], ["/"]]);
  assert.deepEqual(faults(() => nuxtRobots({ groups: [{ userAgent: "a b" }] })), ["groups[0].crawlers[0]"]);
  assert.deepEqual(faults(() => nuxtRobots({ sitemap: "/s.xml" })), ["sitemap[0]"]);
  assert.throws(() => nuxtRobots({ groups: [{ userAgents: ["a"] }] }), /there is no option "userAgents"/);
  assert.deepEqual(fromNuxt({ sitemap: "s.xml" }, { site: "https://e.com" }).sitemap, ["https://e.com/s.xml"]);
});
