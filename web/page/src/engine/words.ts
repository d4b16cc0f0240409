/** What `robotsieve crawlers` says, in the same words (cli/src/crawlers/words.rs). */

import type { Flip } from "robotsieve";
import type { KnownCrawler, Purpose } from "./known.js";
import { type By, type Class, counts, isClosedBut, type Judged, ofPurpose, type ReachTable } from "./reach.js";
import { shortened, shown } from "./shown.js";

/** How many rules are named. */
const RULES = 4;

/** How much of a rule is shown, in characters. */
const RULE_CHARS = 60;

/** How many crawlers the line of a purpose names. */
const NAMES = 8;

/** `3 of 32 shut out, 28 partly, 1 let in: Foo`. */
export function summary(table: ReachTable, purpose: Purpose): string {
  const of = counts(table, purpose);
  let line = `${of.nothing} of ${of.all} shut out, ${of.partly} partly`;
  if (of.unproven > 0) line += `, ${of.unproven} not proven`;
  line += `, ${of.everything} let in`;
  if (of.everything >= 1 && of.everything <= NAMES) {
    const isIn = (crawler: Judged) => table.classes[crawler.class]!.reach === "everything";
    line += `: ${ofPurpose(table, purpose).filter(isIn).map((crawler) => crawler.known.name).join(", ")}`;
  }
  return line;
}

/** What a class may read. */
export function reads(of: Class): string {
  const unproven = (text: string) =>
    of.unproven === null ? text : `${text}; other rules may count too (${of.unproven})`;
  switch (of.reach) {
    case "nothing":
    case "everything":
      return of.reach;
    case "partly":
      return isClosedBut(of)
        ? unproven(`nothing but ${rules(of.allowed, of.moreAllowed)}`)
        : unproven(`all but ${rules(of.forbidden, of.moreForbidden)}`);
    case "unproven":
      return `not proven: ${of.unproven ?? "the comparison ended early"}`;
  }
}

/** `/a (line 3), /b (line 5) and 2 more rules`. */
function rules(flips: readonly Flip[], more: number): string {
  const rules = flips.flatMap((flip) => flip.after ?? []);
  const named = rules.slice(0, RULES).map((rule) => `${shortened(rule.value, RULE_CHARS)} (line ${rule.line})`);
  const rest = rules.length - named.length + more;
  // The search stops counting after a while.
  const least = more > 0 ? "at least " : "";
  if (rest > 0) return `${named.join(", ")} and ${least}${rest} more ${rest === 1 ? "rule" : "rules"}`;
  return listed(named);
}

function listed(named: string[]): string {
  const last = named.at(-1);
  if (last === undefined || named.length === 1) return last ?? "";
  return `${named.slice(0, -1).join(", ")} and ${last}`;
}

/** The crawlers of a row, by name: first those that the file names, then the others. */
export function crawlers(row: readonly Judged[], all: number): string[] {
  const words = [];
  for (const crawler of row) {
    if (crawler.by.kind === "named") words.push(`${crawler.known.name} (${lines(crawler.by.lines)})`);
  }
  const unnamed: [By["kind"], string, string][] = [
    ["everybody", "by the group of *", "by the group of *"],
    ["none", "no group is for them", "no group is for it"],
    [
      "ignores-star",
      "no group names them, and they ignore that of *",
      "no group names it, and it ignores that of *",
    ],
  ];
  for (const [kind, many, one] of unnamed) {
    const names = row.filter((crawler) => crawler.by.kind === kind).map((crawler) => crawler.known.name);
    const why = names.length === 1 ? one : many;
    if (names.length === 0) continue;
    if (names.length <= 4) words.push(`${names.join(", ")} (${why})`);
    else if (names.length === all) words.push(`all ${names.length} (${why})`);
    else if (names.length === row.length) words.push(`${names.length} crawlers (${why})`);
    else words.push(`${names.length} others (${why})`);
  }
  return words;
}

function lines(lines: readonly number[]): string {
  const more = lines.length > 3 ? ", …" : "";
  return `line${lines.length === 1 ? "" : "s"} ${lines.slice(0, 3).join(", ")}${more}`;
}

/** What the operators say of obeying, if it is not that they obey. */
export function notes(crawlers: readonly KnownCrawler[]): string[] {
  const those = (obeys: KnownCrawler["obeys"]) =>
    crawlers.filter((crawler) => crawler.obeys === obeys).map((crawler) => crawler.name);
  const notes = [];
  const [no, partly] = [those("no"), those("partly")];
  if (no.length > 0) {
    notes.push(`robots.txt only asks. By what their operators say, these do not obey it: ${no.join(", ")}`);
  }
  if (partly.length > 0) {
    notes.push(`robots.txt only asks. By what their operators say, these obey it in part: ${partly.join(", ")}`);
  }
  return notes;
}

// ---- diff, as cli/src/diff/text.rs says it -----------------------------------------------------------------------

/** The path, with which others flip with it. */
export function extent(flip: Flip): string {
  const prefix = shown(flip.extent.prefix);
  switch (flip.extent.kind) {
    case "from":
      return flip.path === "/" ? "every path" : `${shown(flip.path)} and all below`;
    case "below":
      return `all below ${prefix}`;
    case "path":
      return shown(flip.path);
  }
}

/** What happened to a whole site. */
export const WHOLE_SITE = {
  "closed": "the whole site is closed now",
  "opened": "the whole site was closed and is open now",
  "partly-opened": "the site is no longer closed as a whole",
} as const;

/** The names of crawlers as `diff` lists them. */
export function diffName(name: string): string {
  return name === "*" ? "* (any other crawler)" : shown(name);
}
