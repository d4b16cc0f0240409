/** How much of a site the known crawlers may read: what is known of it, without the engine. */

import type { Flip } from "robotsieve";
import { type KnownCrawler, type Purpose, PURPOSES } from "./known.js";

/** How much of a site some crawlers may read. `unproven`: none of the others is proven. */
export type Reach = "nothing" | "partly" | "unproven" | "everything";

/** Those that may read least first. */
export const REACHES: readonly Reach[] = ["nothing", "partly", "unproven", "everything"];

/** Which groups a crawler obeys: those that name it, on these lines; those of `*`; none is for it; it ignores those of `*`. */
export type By =
  | { kind: "named"; lines: number[] }
  | { kind: "everybody" }
  | { kind: "none" }
  | { kind: "ignores-star" };

/** Crawlers that may read the same. */
export interface Class {
  reach: Reach;
  /** A path for each rule that forbids something, in the order of the file. */
  forbidden: Flip[];
  /** A path for each rule that allows something although all else were forbidden; or for no rule. */
  allowed: Flip[];
  /** How many more rules there are at least. */
  moreForbidden: number;
  moreAllowed: number;
  /** Why there may be rules that were not found. */
  unproven: string | null;
  /** The verdicts on the pages: whether they are allowed. */
  verdicts: boolean[];
}

export interface Judged {
  known: KnownCrawler;
  /** An index into the classes. */
  class: number;
  by: By;
}

export interface ReachTable {
  /** `/`, and short paths that tell crawlers apart. */
  pages: string[];
  crawlers: Judged[];
  classes: Class[];
}

/** Whether a rule forbids every path, so that only what rules allow is allowed. */
export function isClosedBut(of: Class): boolean {
  const isForAll = (flip: Flip) => /^\/?\**$/.test(flip.after?.value ?? "") && (flip.after?.value ?? "") !== "";
  return of.forbidden.some(isForAll) && of.allowed.every((flip) => flip.after !== null);
}

/** The purposes that some crawler has. */
export function purposesOf(table: ReachTable): Purpose[] {
  return PURPOSES.filter((purpose) => table.crawlers.some((crawler) => crawler.known.purpose === purpose));
}

export function ofPurpose(table: ReachTable, purpose: Purpose): Judged[] {
  return table.crawlers.filter((crawler) => crawler.known.purpose === purpose);
}

/** How many crawlers of a purpose may read how much. */
export function counts(table: ReachTable, purpose: Purpose): Record<Reach | "all", number> {
  const counts = { all: 0, nothing: 0, partly: 0, unproven: 0, everything: 0 };
  for (const crawler of ofPurpose(table, purpose)) {
    counts.all += 1;
    counts[table.classes[crawler.class]!.reach] += 1;
  }
  return counts;
}

/** The crawlers of a purpose that may read the same, those that may read least first. */
export function rows(table: ReachTable, purpose: Purpose): { class: Class; crawlers: Judged[] }[] {
  const rows: { class: number; crawlers: Judged[] }[] = [];
  for (const crawler of ofPurpose(table, purpose)) {
    const reach = table.classes[crawler.class]!.reach;
    // Rules with the same effect are of no interest if that is all or nothing.
    const isSame = (other: number) =>
      reach === "nothing" || reach === "everything" ? table.classes[other]!.reach === reach : other === crawler.class;
    const row = rows.find((row) => isSame(row.class));
    if (row) row.crawlers.push(crawler);
    else rows.push({ class: crawler.class, crawlers: [crawler] });
  }
  const place = (row: { class: number }) => REACHES.indexOf(table.classes[row.class]!.reach);
  return rows
    .sort((a, b) => place(a) - place(b))
    .map((row) => ({ class: table.classes[row.class]!, crawlers: row.crawlers }));
}
