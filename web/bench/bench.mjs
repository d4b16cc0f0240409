// How fast verdicts are, beside robots-parser: `npm run bench`, over the real URLs of the corpus. Fails under a limit.
//
// Both parse a file once and are asked about all of the host's URLs. Each figure is the best of some rounds, since other
// programs only make a round slower.

import { createRequire } from "node:module";

import { ALLOW, Robots } from "robotsieve";
import { Robots as CoreRobots } from "robotsieve/core";
import robotsParser from "robotsieve/robots-parser";

import { file, hosts, missing, realUrls, reference } from "../tests/corpus.mjs";

const original = createRequire(import.meta.url)("robots-parser");

const ROUNDS = 7;
/** How many times as fast as robots-parser. */
const LEAST = { isAllowed: 5, verdicts: 20 };
const CRAWLER = "Googlebot";

if (missing) {
  console.error(missing);
  process.exit(1);
}

// What google/robotstxt says about the same URLs.
const wanted = new Map();
for (const [host, crawler, urls, verdicts] of reference()) {
  if (crawler === CRAWLER) {
    if (!wanted.has(host)) wanted.set(host, new Map());
    urls.forEach((url, index) => typeof url === "string" && wanted.get(host).set(url, verdicts[index]));
  }
}
const sites = hosts()
  .map((host) => ({ host, urls: realUrls(host).filter((url) => wanted.get(host)?.has(url)) }))
  .filter(({ urls }) => urls.length > 0);
let [urlCount, allowed] = [0, 0];
for (const { host, urls } of sites) {
  urlCount += urls.length;
  for (const url of urls) allowed += wanted.get(host).get(url);
}
console.log(`${sites.length} hosts, ${urlCount} URLs, ${allowed} allowed by the reference; ${ROUNDS} rounds`);

function measure(name, ask, count) {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    const found = ask();
    best = Math.min(best, performance.now() - start);
    if (count !== undefined && found !== count) throw new Error(`${name}: ${found} allowed instead of ${count}`);
  }
  const nanoseconds = (best / urlCount) * 1e6;
  console.log(`${name.padEnd(38)} ${nanoseconds.toFixed(0).padStart(6)} ns a URL`);
  return nanoseconds;
}

const rates = {};
const originals = sites.map(({ host, urls }) => [original(`https://${host}/robots.txt`, file(host).toString()), urls]);
rates.original = measure("robots-parser isAllowed", () => {
  let count = 0;
  for (const [parser, urls] of originals) for (const url of urls) if (parser.isAllowed(url, CRAWLER)) count += 1;
  return count;
});
for (const [name, Class] of [["robotsieve", Robots], ["robotsieve/core", CoreRobots]]) {
  const policies = sites.map(({ host, urls }) => {
    const robots = new Class(file(host), { profile: "google" });
    const policy = robots.policy(CRAWLER);
    robots.free();
    return [policy, urls];
  });
  const one = measure(`${name} isAllowed`, () => {
    let count = 0;
    for (const [policy, urls] of policies) for (const url of urls) if (policy.isAllowed(url)) count += 1;
    return count;
  }, allowed);
  const many = measure(`${name} verdicts`, () => {
    let count = 0;
    for (const [policy, urls] of policies) for (const answer of policy.verdicts(urls)) if (answer === ALLOW) count += 1;
    return count;
  }, allowed);
  rates[name] = { isAllowed: rates.original / one, verdicts: rates.original / many };
}
const replaced = sites.map(({ host, urls }) => {
  return [robotsParser(`https://${host}/robots.txt`, file(host), { profile: "google" }), urls];
});
const dropIn = measure("robotsieve/robots-parser isAllowed", () => {
  let count = 0;
  for (const [parser, urls] of replaced) for (const url of urls) if (parser.isAllowed(url, CRAWLER)) count += 1;
  return count;
});

let failed = false;
for (const name of ["robotsieve", "robotsieve/core"]) {
  for (const [what, least] of Object.entries(LEAST)) {
    const times = rates[name][what];
    const isUnder = times < least;
    failed ||= isUnder;
    console.log(`${name} ${what}: ${times.toFixed(1)} times robots-parser (at least ${least})${isUnder ? "  TOO SLOW" : ""}`);
  }
}
console.log(`robotsieve/robots-parser isAllowed: ${(rates.original / dropIn).toFixed(1)} times robots-parser`);
process.exitCode = failed ? 1 : 0;
