// robots-parser 3 with switches: each makes it do one thing as robotsieve does. So a difference between the two can be
// traced to what causes it. Without switches it gives robots-parser's answers, which the test checks.

/** What each switch changes, for the table that the test prints and README.md has. */
export const SWITCHES = {
  escapes: "`%XX` of a letter, a digit, `-`, `.`, `_` or `~` is that character; others are compared in upper case on both sides",
  query: "a URL that ends in `?` is compared with the `?`",
  robotsTxt: "`/robots.txt` itself is always allowed",
  lines: "only rules end a list of `User-agent` lines, not sitemaps, crawl delays and unknown fields",
  emptyGroups: "a group without rules is a group: the crawlers it names may fetch everything",
};

const encoder = new TextEncoder();
const UNRESERVED = /[A-Za-z0-9\-._~]/;

/** The normal form of RFC 9309 in which robotsieve compares. */
function normalised(text, isUrl) {
  const bytes = encoder.encode(text);
  let out = "";
  for (let at = 0; at < bytes.length; at++) {
    const char = String.fromCharCode(bytes[at]);
    const hex = String.fromCharCode(bytes[at + 1], bytes[at + 2]);
    if (char === "%" && /^[0-9A-Fa-f]{2}$/.test(hex)) {
      const meant = String.fromCharCode(parseInt(hex, 16));
      out += UNRESERVED.test(meant) ? meant : `%${hex.toUpperCase()}`;
      at += 2;
    } else if (/[!-~]/.test(char) && !/["<>\\^`{|}%]/.test(char) && !(isUrl && /[*$]/.test(char))) {
      out += char;
    } else {
      out += `%${bytes[at].toString(16).toUpperCase().padStart(2, "0")}`;
    }
  }
  return out;
}

const upper = (text) => text.replace(/%[0-9a-f]{2}/gi, (match) => match.toUpperCase());

function encodedRule(pattern, on) {
  if (on.has("escapes")) {
    const anchored = pattern.endsWith("$");
    const body = anchored ? pattern.slice(0, -1) : pattern;
    return normalised(body, false).replace(/\$/g, "%24") + (anchored ? "$" : "");
  }
  try {
    return upper(encodeURI(pattern).replace(/%25/g, "%"));
  } catch {
    return pattern;
  }
}

function agentOf(value) {
  return value.toLowerCase().split("/", 1)[0].trim();
}

function matches(pattern, path) {
  const anchored = pattern.endsWith("$");
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(parts[0])) return false;
  let at = parts[0].length;
  if (parts.length === 1) return !anchored || at === path.length;
  for (const part of parts.slice(1, -1)) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = parts.at(-1);
  if (anchored) return path.length - at >= last.length && path.endsWith(last);
  return path.indexOf(last, at) >= 0;
}

/** The groups of a file by agent. */
export function parse(text, on) {
  const rules = new Map();
  let agents = [];
  let isAfterOther = true;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const plain = line.split("#", 1)[0];
    const colon = plain.indexOf(":");
    if (colon < 0) continue;
    const field = plain.slice(0, colon).trim().toLowerCase();
    const value = plain.slice(colon + 1).trim();
    if (field === "") continue;
    if (field === "user-agent") {
      if (isAfterOther) agents = [];
      if (value !== "") agents.push(agentOf(value));
      if (on.has("emptyGroups")) for (const agent of agents) if (!rules.has(agent)) rules.set(agent, []);
      isAfterOther = false;
      continue;
    }
    const isRule = field === "allow" || field === "disallow";
    if (isRule || field === "crawl-delay") {
      for (const agent of agents) {
        // A group with a record of any kind is one; without the switch only these make one.
        if (!rules.has(agent)) rules.set(agent, []);
        if (isRule && value !== "") rules.get(agent).push({ pattern: encodedRule(value, on), allow: field === "allow" });
      }
    }
    if (isRule || !on.has("lines")) isAfterOther = true;
  }
  return rules;
}

/** The answer of robots-parser, with these switches, for a URL of the file's own host. */
export function isAllowed(rules, url, crawler, on) {
  const { pathname, search, href, origin } = new URL(url);
  let path = pathname + search;
  if (on.has("query")) path = href.slice(href.indexOf("/", origin.length)).split("#", 1)[0];
  if (on.has("robotsTxt") && path === "/robots.txt") return true;
  path = on.has("escapes") ? normalised(path, true) : upper(path);
  let best = null;
  for (const rule of rules.get(crawler.toLowerCase()) ?? rules.get("*") ?? []) {
    if (!matches(rule.pattern, path)) continue;
    const longer = best === null ? 1 : rule.pattern.length - best.pattern.length;
    if (longer > 0 || (longer === 0 && rule.allow)) best = rule;
  }
  return best === null || best.allow;
}

/** The crawl delays of each crawler as robotsieve sees them: each is that of the user-agent lines directly above it, whose run ends at any rule and at any record of the pace. */
export function delaysOf(text) {
  const delays = new Map();
  let run = { delays: [], hasEnded: true };
  for (const line of text.split(/\r\n|\r|\n/)) {
    const plain = line.split("#", 1)[0];
    const colon = plain.indexOf(":");
    const field = plain.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const value = plain.slice(colon + 1).trim();
    if (field === "user-agent") {
      if (run.hasEnded) run = { delays: [], hasEnded: false };
      // The product token, which a word after it does not change: `Yandex Bot` is `Yandex`.
      const agent = value === "*" ? value : /^[\w.-]*/.exec(value)[0].toLowerCase();
      delays.set(agent, (delays.get(agent) ?? new Set()).add(run));
    } else if (field === "allow" || field === "disallow") {
      run.hasEnded = true;
    } else if (/^(crawl-?delay|request-?rate|visit-?time)$/.test(field.replaceAll(/[ _]/g, "-"))) {
      run.hasEnded = true;
      if (field === "crawl-delay" && /^[\d.]+$/.test(value)) run.delays.push(Number(value));
    }
  }
  return new Map([...delays].map(([agent, runs]) => [agent, [...runs].flatMap((run) => run.delays)]));
}
