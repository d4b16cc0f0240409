/**
 * What the known crawlers may read: as `robotsieve crawlers` finds it (cli/src/crawlers/judge.rs).
 *
 * Each crawler's policy is compared with one that allows everything and with one that forbids everything. The first gives
 * the rules that forbid something, the second those that allow something in spite of others. Crawlers with equal policies
 * are one class.
 */

import { type Crawler, type CrawlerDiff, type Diff, diff, type Flip, type Policy, type ProfileName, Robots } from "robotsieve";
import { freed } from "./freed.js";
import { type KnownCrawler, namesOf } from "./known.js";
import { named } from "./named.js";
import { type By, type Class, isClosedBut, type Judged, type ReachTable } from "./reach.js";
import { count } from "./shown.js";

/** How many rules of a class are found at most, in each direction. The rest is counted. */
const RULES = 16;

/** How many pages are shown. */
const PAGES = 5;

/** How many paths are tried to find them. */
const CANDIDATES = 32;

const everything = (): Class => ({
  reach: "everything", forbidden: [], allowed: [], moreForbidden: 0, moreAllowed: 0, unproven: null, verdicts: [],
});

/** Which groups a crawler obeys. */
function obeyed(robots: Robots, crawler: KnownCrawler): By {
  const selection = robots.explain(named(robots, namesOf(crawler)), "/").selection;
  if (selection.choice === "named") {
    const chosen = selection.lines.filter((line) => line.standing === "chosen");
    return { kind: "named", lines: chosen.map((line) => line.line) };
  }
  if (!crawler.star) return { kind: "ignores-star" };
  return { kind: selection.choice };
}

/** Which groups each crawler obeys. Only those that a token of the file could name are looked up. */
export function whoIsNamed(robots: Robots, crawlers: readonly KnownCrawler[]): By[] {
  const tokens = robots.tokens.map((token) => token.toLowerCase()).filter((token) => token !== "" && token !== "*");
  const byLength = new Map<number, Set<string>>();
  for (const token of tokens) {
    const same = byLength.get(token.length);
    if (same) same.add(token);
    else byLength.set(token.length, new Set([token]));
  }
  // A token can be equal to a name, begin it, or be within it, as the profile has it.
  const mayBeNamed = (name: string) => {
    const lower = name.toLowerCase();
    for (const [length, same] of byLength) {
      for (let from = 0; from + length <= lower.length; from++) {
        if (same.has(lower.slice(from, from + length))) return true;
      }
    }
    return false;
  };
  const unnamed: By = { kind: robots.explain("*", "/").selection.choice === "none" ? "none" : "everybody" };
  return crawlers.map((crawler) => {
    if (namesOf(crawler).some(mayBeNamed)) return obeyed(robots, crawler);
    return crawler.star ? unnamed : { kind: "ignores-star" };
  });
}

/** Whether the one thing that a rule opens is robots.txt itself, which is no page. */
function leavesRobotsTxtOnly(of: Class): boolean {
  return of.reach === "partly" && of.unproven === null && of.moreAllowed === 0 && isClosedBut(of) &&
    of.allowed.every((flip) => ["/robots.txt", "/robots.txt$"].includes(flip.after?.value ?? ""));
}

/** The same flips with the lines that the rules have in a policy with equal ones. */
function withLinesOf(policy: Policy, flips: readonly Flip[]): Flip[] {
  const own = flips.map((flip) => {
    // A path that begins with two slashes would be taken for a host.
    const rule = policy.decide(`http://a.example${flip.path}`).rule;
    return rule && flip.after ? { ...flip, after: { ...flip.after, line: rule.line, value: rule.value } } : flip;
  });
  return own.sort(byLine);
}

const byLine = (a: Flip, b: Flip) => (a.after?.line ?? 0) - (b.after?.line ?? 0);

/** From the differences to what allows everything and to what forbids everything. */
function classOf(open: CrawlerDiff, closed: CrawlerDiff): Class {
  const result = everything();
  if (open.result === "equal") result.reach = "everything";
  else if (closed.result === "equal") result.reach = "nothing";
  else if (open.result === "different" && closed.result === "different") result.reach = "partly";
  else result.reach = "unproven";
  result.forbidden = [...open.closed].sort(byLine);
  result.moreForbidden = open.moreClosed;
  result.allowed = [...closed.opened].sort(byLine);
  result.moreAllowed = closed.moreOpened;
  if (result.reach === "partly" || result.reach === "unproven") {
    const rules = open.unexamined + closed.unexamined;
    const unexamined = rules > 0 ? `there was no budget for ${count(rules, "rule")}` : null;
    // Those of the file; there is no older one.
    const unproven = (open.unproven ?? closed.unproven)?.replace("the new rules", "the rules");
    result.unproven = unproven ?? unexamined;
  }
  if (leavesRobotsTxtOnly(result)) result.reach = "nothing";
  return result;
}

/** The classes of crawlers, without verdicts on pages, and the members of each. */
function classesOf(
  robots: Robots,
  profile: ProfileName,
  crawlers: readonly KnownCrawler[],
  numbers: readonly number[],
  by: readonly By[],
) {
  if (numbers.length === 0) return [];
  // Those that no group can name are one for the comparison.
  const byLabel = new Map<string, number[]>();
  const names = new Map<string, Crawler>();
  for (const number of numbers) {
    const crawler = named(robots, namesOf(crawlers[number]!));
    const label = typeof crawler === "string" ? crawler : (crawler as readonly string[])[0]!;
    byLabel.set(label, [...(byLabel.get(label) ?? []), number]);
    names.set(label, crawler);
  }
  const comparedWith = (file: string) =>
    freed(new Robots(file, { profile }), (other) => diff(other, robots, { profile, crawlers: [...names.values()], examples: RULES }));
  const [withOpen, withClosed] = ["", "User-agent: *\nDisallow: /\n"].map(comparedWith) as [Diff, Diff];
  const ofClosed = new Map(withClosed.crawlers.flatMap((same) => same.crawlers.map((name) => [name, same] as const)));
  const classes: { numbers: number[]; class: Class }[] = [];
  // Groups on other lines can say the same, and then each has its own lines. Whoever obeys the same lines has one group.
  const groups = new Map<string, string>();
  const groupOf = (obeys: By, crawler: Crawler) => {
    const key = obeys.kind === "named" ? obeys.lines.join() : obeys.kind;
    const known = groups.get(key);
    if (known !== undefined) return known;
    const group = freed(robots.policy(crawler), (policy) => policy.group.map((agent) => agent.line).join());
    groups.set(key, group);
    return group;
  };
  for (const same of withOpen.crawlers) {
    const inner = new Map<string, { numbers: number[]; class: Class }>();
    for (const name of same.crawlers) {
      const [other, labelled] = [ofClosed.get(name), byLabel.get(name)];
      if (!other || !labelled) throw new Error(`the comparison lost the crawler ${name}`);
      const crawler = names.get(name)!;
      const key = `${withClosed.crawlers.indexOf(other)}: ${groupOf(by[labelled[0]!]!, crawler)}`;
      let found = inner.get(key);
      if (!found) {
        found = { numbers: [], class: classOf(same, other) };
        if (same.crawlers[0] !== name || other.crawlers[0] !== name) {
          const of = found.class;
          freed(robots.policy(crawler), (policy) => {
            of.forbidden = withLinesOf(policy, of.forbidden);
            of.allowed = withLinesOf(policy, of.allowed);
          });
        }
        inner.set(key, found);
        classes.push(found);
      }
      found.numbers.push(...labelled);
    }
  }
  return classes;
}

/** Judges these crawlers. */
export function judge(robots: Robots, profile: ProfileName, crawlers: readonly KnownCrawler[]): ReachTable {
  const by = whoIsNamed(robots, crawlers);
  const numbers = crawlers.map((_, number) => number);
  // Those that ignore the rules for everybody have none.
  const unruled = numbers.filter((number) => by[number]!.kind === "ignores-star");
  const classes = classesOf(robots, profile, crawlers, numbers.filter((number) => by[number]!.kind !== "ignores-star"), by);
  if (unruled.length > 0) classes.push({ numbers: unruled, class: everything() });
  const pages = toldApart(robots, profile, crawlers, classes, by);
  const judged: Judged[] = [];
  classes.forEach((of, index) => {
    for (const number of of.numbers) judged[number] = { known: crawlers[number]!, class: index, by: by[number]! };
  });
  return { pages, crawlers: judged, classes: classes.map((of) => of.class) };
}

/** `/`, and short paths on which the classes differ, each in another way; fills in the verdicts. */
function toldApart(
  robots: Robots,
  profile: ProfileName,
  crawlers: readonly KnownCrawler[],
  classes: { numbers: number[]; class: Class }[],
  by: readonly By[],
): string[] {
  const paths = new Set<string>();
  // The first path of every class, then the second, so that no class is left out.
  for (let at = 0; at < RULES; at++) {
    for (const { class: of } of classes) {
      for (const flip of [of.forbidden[at], of.allowed[at]]) {
        // Asked for as a URL, one that begins with two slashes would begin with a host there.
        const isUrl = profile === "google" && flip?.path.startsWith("//");
        if (flip && !isUrl && flip.path !== "/" && paths.size < CANDIDATES) paths.add(flip.path);
      }
    }
  }
  const bytes = (path: string) => new TextEncoder().encode(path).length;
  const candidates = ["/", ...[...paths].sort((a, b) => bytes(a) - bytes(b))];
  // A path that begins with two slashes is no path as a URL: it would be taken for a host.
  const urls = candidates.map((path) => `http://a.example${path}`);
  const verdicts = classes.map(({ numbers }) => {
    const first = numbers[0]!;
    if (by[first]!.kind === "ignores-star") {
      return freed(new Robots("", { profile }), (empty) => freed(empty.policy("*"), (all) => all.verdicts(urls)));
    }
    return freed(robots.policy(named(robots, namesOf(crawlers[first]!))), (policy) => policy.verdicts(urls));
  });
  const seen = new Set<string>();
  const kept: number[] = [];
  candidates.forEach((_, page) => {
    const column = verdicts.map((of) => of[page]!);
    const differ = column.some((verdict) => verdict !== column[0]);
    const key = column.join();
    const isNew = !seen.has(key);
    if (page === 0 || differ) {
      seen.add(key);
      if (isNew && kept.length < PAGES) kept.push(page);
    }
  });
  classes.forEach((of, index) => {
    of.class.verdicts = kept.map((page) => verdicts[index]![page] === 1);
  });
  return kept.map((page) => candidates[page]!);
}
