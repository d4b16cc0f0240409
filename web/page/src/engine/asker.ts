/** Who asks, as one types it. */

import type { KnownCrawler, Purpose } from "robotsieve";
import { shown } from "./shown.js";

/**
 * A crawler by its names, from most to least specific, as the command takes them; a known crawler and the names whose groups
 * it obeys if none names it; a crawler by its `User-Agent` header; all known crawlers of a purpose.
 */
export type Asker =
  | { kind: "names"; names: string[] }
  | { kind: "known"; names: string[] }
  | { kind: "header"; header: string }
  | { kind: "purpose"; purpose: Purpose };

/** What the module knows of crawlers. */
export interface Known {
  crawlers: readonly KnownCrawler[];
  purposes: readonly { purpose: Purpose; title: string; description: string }[];
}

let known: Known = { crawlers: [], purposes: [] };

/** Once, before anything is asked or shown. */
export function setKnown(of: Known): void {
  known = of;
}

/** The purposes that crawlers can have, in the order of reports. */
export const purposes = () => known.purposes;

export const knownCrawlers = () => known.crawlers;

export function ofPurpose(purpose: Purpose): KnownCrawler[] {
  return known.crawlers.filter((crawler) => crawler.purpose === purpose);
}

/** A known crawler by its product token, in any case. */
export function byToken(token: string): KnownCrawler | undefined {
  return known.crawlers.find((crawler) => crawler.token.toLowerCase() === token.toLowerCase());
}

export function titleOfPurpose(wanted: Purpose): string {
  return known.purposes.find(({ purpose }) => purpose === wanted)?.title ?? wanted;
}

/**
 * What was typed: no product token contains a slash, a semicolon, a parenthesis or a space, so a text with one is a
 * header. Names are separated by commas.
 */
export function askerOf(typed: string): Asker | null {
  const text = typed.trim();
  if (text === "") return null;
  if (/[/;()]/.test(text)) return { kind: "header", header: text };
  return { kind: "names", names: text.split(",").map((name) => name.trim()).filter((name) => name !== "") };
}

/** The same with the other names that a known crawler obeys. */
export function completed(asker: Asker): Asker {
  if (asker.kind !== "names" || asker.names.length !== 1) return asker;
  const crawler = byToken(asker.names[0]!);
  return crawler ? knownAsker([asker.names[0]!, ...crawler.after]) : asker;
}

/** A known crawler by the names that it obeys. With one name, it is asked like any other. */
export function knownAsker(names: string[]): Asker {
  return { kind: names.length > 1 ? "known" : "names", names };
}

/** How the page names it. */
export function titleOf(asker: Asker): string {
  switch (asker.kind) {
    case "names":
      return asker.names.map(shown).join(", ");
    case "known":
      return asker.names.map(shown).join(", else ");
    case "header":
      return shown(asker.header);
    case "purpose":
      return `All of ${titleOfPurpose(asker.purpose)}`;
  }
}

/** As text, for links: what {@link parsedAsker} reads. */
export function writtenAsker(asker: Asker): string {
  switch (asker.kind) {
    case "names":
      return `n${asker.names.join(",")}`;
    case "known":
      return `k${asker.names.join(",")}`;
    case "header":
      return `h${asker.header}`;
    case "purpose":
      return `p${asker.purpose}`;
  }
}

export function parsedAsker(text: string): Asker | null {
  const rest = text.slice(1);
  switch (text[0]) {
    case "n":
      return { kind: "names", names: rest.split(",") };
    case "k":
      return { kind: "known", names: rest.split(",") };
    case "h":
      return { kind: "header", header: rest };
    case "p":
      return known.purposes.some(({ purpose }) => purpose === rest) ? { kind: "purpose", purpose: rest as Purpose } : null;
    default:
      return null;
  }
}
