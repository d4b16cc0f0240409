/** URLs, as one types them and as they are drawn. */

import type { ExplainReport } from "robotsieve";

/** A part of a URL, and what of the deciding rule matches it. */
export interface UrlPart {
  text: string;
  kind: "plain" | "literal" | "star";
}

/** The URL, cut into what the deciding rule matches and what it does not. */
export function urlParts(url: string, of: ExplainReport): UrlPart[] {
  const parts: UrlPart[] = [];
  let at = 0;
  // The rule that decides is the first one that matches, unless robots.txt itself was asked for.
  for (const piece of of.winner_line === null ? [] : (of.matches[0]?.pieces ?? [])) {
    const [start, end] = piece.url_span;
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
