/** What an explanation says, in sentences. Each is a claim about the file; the tests check them. */

import type { Explanation } from "robotsieve";
import { count } from "./engine/shown.js";

export interface Sentence {
  text: string;
  /** The line of the file it is about, to go there. */
  line: number | null;
}

/** `3`, `3 and 5`, `3, 5 and 9`, `3, 5, 9 and 4 more`. */
export function numbered(lines: readonly number[]): string {
  const named = lines.slice(0, 3);
  const more = lines.length - named.length;
  if (more > 0) return `${named.join(", ")} and ${more} more`;
  return named.length > 1 ? `${named.slice(0, -1).join(", ")} and ${named.at(-1)}` : named.join();
}

export function sentences(of: Explanation): Sentence[] {
  return [...decision(of), ...group(of), ...otherwise(of), ...cut(of)];
}

function decision(of: Explanation): Sentence[] {
  switch (of.reason) {
    case "rule": {
      const rules = of.ruleCount === 1 ? "the only rule" : `one of ${count(of.ruleCount, "rule")}`;
      const matches =
        of.matchCount === 1
          ? of.ruleCount === 1 ? ", and it matches" : ", the only one that matches"
          : `; ${of.matchCount} match, none with a higher precedence`;
      return [{ text: `Line ${of.line} decides. It is ${rules} for this crawler${matches}.`, line: of.line }];
    }
    case "no-group":
      return [{ text: "No group of the file is for this crawler, so it may fetch everything.", line: null }];
    case "no-match":
      return [{ text: `No rule for this crawler matches (it has ${count(of.ruleCount, "rule")}), so the URL is allowed.`, line: null }];
    case "empty-rule":
      return [{ text: `The rules for this crawler have an empty value, which restricts nothing: line ${of.line}.`, line: of.line }];
    case "robots-txt":
      return [{ text: "/robots.txt itself may always be fetched.", line: null }];
  }
}

function group(of: Explanation): Sentence[] {
  const { choice, lines } = of.selection;
  const chosen = lines.filter((line) => line.standing === "chosen").map((line) => line.line);
  const [first] = chosen;
  if (choice === "none" || first === undefined) return [];
  const place = `${chosen.length === 1 ? "line" : "lines"} ${numbered(chosen)}`;
  if (choice === "everybody") {
    return [{ text: `No group names this crawler, so it obeys the one for everybody: ${place}.`, line: first }];
  }
  const result: Sentence[] = [{ text: `Its group is the one that names it: ${place}.`, line: first }];
  const everybody = lines.find((line) => line.standing === "everybody-else");
  if (everybody) {
    result.push({ text: `So the group for everybody else, line ${everybody.line}, does not count for it.`, line: everybody.line });
  }
  return result;
}

function otherwise(of: Explanation): Sentence[] {
  if (of.verdictOtherwise === null) return [];
  const still = of.verdictOtherwise === of.verdict ? "still be" : "be";
  const without = of.reason === "robots-txt" ? "Without this exception" : `Without line ${of.line}`;
  if (of.runnerUp) {
    return [{
      text: `${without} the verdict would ${still} ${of.verdictOtherwise}: the runner-up is line ${of.runnerUp.line}.`,
      line: of.runnerUp.line,
    }];
  }
  const why = of.reason === "robots-txt" ? "" : ": no other rule matches";
  return [{ text: `${without} the verdict would ${still} ${of.verdictOtherwise}${why}.`, line: null }];
}

function cut(of: Explanation): Sentence[] {
  if (!of.cut) return [];
  const { limitBytes, line, matters, verdict, winnerLine } = of.cut;
  const read = `Only the first ${limitBytes.toLocaleString("en")} bytes of the file are read: not line ${line} and what follows.`;
  const by = winnerLine === null ? "" : ` by line ${winnerLine}`;
  const effect = matters ? ` The whole file would say ${verdict}${by}.` : " The whole file would give the same answer.";
  return [{ text: read + effect, line }];
}

/** A part of a URL, and what of the deciding rule matches it. */
export interface UrlPart {
  text: string;
  kind: "plain" | "literal" | "star";
}

/** The URL, cut into what the deciding rule matches and what it does not. */
export function urlParts(url: string, of: Explanation): UrlPart[] {
  const parts: UrlPart[] = [];
  let at = 0;
  for (const piece of of.winner?.pieces ?? []) {
    const { start, end } = piece.urlSpan;
    if (start < at || end <= start) continue;
    if (start > at) parts.push({ text: url.slice(at, start), kind: "plain" });
    parts.push({ text: url.slice(start, end), kind: piece.kind === "star" ? "star" : "literal" });
    at = end;
  }
  if (at < url.length) parts.push({ text: url.slice(at), kind: "plain" });
  return parts;
}

/** The URL that was meant by one without its scheme: `example.com/x`. */
export function urlMeant(url: string): string | null {
  return /^[\w-]+(\.[\w-]+)+(:\d+)?([/?#]|$)/.test(url) && robotsUrl(url) !== null ? `https://${url}` : null;
}

/** Where a site's robots.txt is, from what one types: a host or a URL. `null`: that is no web site. */
export function robotsUrl(typed: string): string | null {
  const text = typed.trim();
  if (text === "") return null;
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
    if (url.protocol !== "https:" && url.protocol !== "http:") return null;
    // Not every browser refuses a host with a space, as they all should.
    return /^[^\s%<>"']+$/.test(url.host) ? `${url.protocol}//${url.host}/robots.txt` : null;
  } catch {
    return null;
  }
}
