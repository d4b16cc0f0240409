// How fast verdicts are, beside robots-parser: `npm run bench`, over the real URLs of the corpus. Fails under a limit.
//
// Both parse a file once and are asked about all of the host's URLs. Each figure is the best of some rounds, since other
// programs only make a round slower.

import { createRequire } from "node:module";

import { ALLOW, Robots } from "robotsieve-full";
import { Robots as CoreRobots } from "robotsieve";
import robotsParser from "robotsieve/robots-parser";

import { file, hosts, missing, realUrls, reference } from "../tests/corpus.mjs";

const original = createRequire(import.meta.url)("robots-parser");

const ROUNDS = 15;
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

/** What is measured: a name, the function, and how many URLs it must find allowed. */
const contestants = [];
const contest = (name, ask, wanted) => contestants.push({ name, ask, wanted, best: Infinity });

const counted = (asked, isAllowed) => () => {
  let count = 0;
  for (const [asker, urls] of asked) for (const url of urls) if (isAllowed(asker, url)) count += 1;
  return count;
};

const originals = sites.map(({ host, urls }) => [original(`https://${host}/robots.txt`, file(host).toString()), urls]);
contest("robots-parser isAllowed", counted(originals, (parser, url) => parser.isAllowed(url, CRAWLER)));
for (const [name, Class] of [["robotsieve-full", Robots], ["robotsieve", CoreRobots]]) {
  const policies = sites.map(({ host, urls }) => {
    const robots = new Class(file(host), { profile: "google" });
    const policy = robots.policy(CRAWLER);
    robots.free();
    return [policy, urls];
  });
  contest(`${name} isAllowed`, counted(policies, (policy, url) => policy.isAllowed(url)), allowed);
  contest(`${name} verdicts`, () => {
    let count = 0;
    for (const [policy, urls] of policies) {
      const answers = policy.verdicts(urls);
      for (let at = 0; at < answers.length; at++) if (answers[at] === ALLOW) count += 1;
    }
    return count;
  }, allowed);
}
const replaced = sites.map(({ host, urls }) => {
  return [robotsParser(`https://${host}/robots.txt`, file(host), { profile: "google" }), urls];
});
contest("robotsieve/robots-parser isAllowed", counted(replaced, (parser, url) => parser.isAllowed(url, CRAWLER)));

// In turn, so that what else runs on the machine slows all of them alike.
for (let round = 0; round < ROUNDS; round++) {
  for (const contestant of contestants) {
    const start = performance.now();
    const found = contestant.ask();
    contestant.best = Math.min(contestant.best, performance.now() - start);
    const { name, wanted } = contestant;
    if (wanted !== undefined && found !== wanted) throw new Error(`${name}: ${found} allowed instead of ${wanted}`);
  }
}

let failed = false;
const [{ best: theirs }] = contestants;
for (const { name, best } of contestants) {
  const least = LEAST[/^robotsieve(?:-full)? (\w+)$/.exec(name)?.[1]];
  const times = theirs / best;
  const isUnder = least !== undefined && times < least;
  failed ||= isUnder;
  const bar = least === undefined ? "" : ` (at least ${least})${isUnder ? "  TOO SLOW" : ""}`;
  const nanoseconds = ((best / urlCount) * 1e6).toFixed(0);
  console.log(`${name.padEnd(36)} ${nanoseconds.padStart(6)} ns a URL  ${times.toFixed(1).padStart(5)} times${bar}`);
}
process.exitCode = failed ? 1 : 0;
