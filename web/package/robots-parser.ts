import { MAX_NAME_LENGTH } from "./bytes.js";
import { OutOfMemoryError, Policy, Robots, RobotsieveError } from "./core.js";
import { stringOf } from "./given.js";
import type { Address, Crawler, RobotsOptions, Text } from "./types.js";

/** The number of policies that are kept. */
const KEPT_POLICIES = 64;

/** Characters that `URL` leaves in a path and query as they are. */
const PLAIN = /^[\w~!$&'()*+,;=:@%?/.-]*$/;
/** A dot segment, as `URL` sees it. */
const DOTS = /\/(?:\.|%2e)/i;

/**
 * Half of a character, which robots-parser finds in no URL: `URL` writes U+FFFD for it. Written in the rules as bytes
 * that are no UTF-8, it is in none here either.
 */
const LONE_SURROGATE = /\p{Surrogate}/gu;
const NO_UTF8 = "%ED%A0%80";

/** A URL as robots-parser understands it: relative ones belong to a host that nobody has. */
function parsed(url: string): URL | null {
  try {
    return new URL(url, "http://robots-relative.invalid/");
  } catch {
    return null;
  }
}

/** Protocol, host and port. */
function originOf(url: URL): string {
  return `${url.protocol}//${url.host}`;
}

/**
 * The interface of [robots-parser](https://www.npmjs.com/package/robots-parser) 3. Crawlers change one import.
 *
 * Verdicts are those of RFC 9309, or of another profile if one is given. `README.md` lists how they differ from
 * robots-parser's.
 */
export class RobotsParser {
  readonly #robots: Robots;
  readonly #origin: string | null;
  readonly #policies = new Map<string, Policy>();

  /** @param url the URL of the robots.txt */
  constructor(url: Address, contents?: Text | null, options?: RobotsOptions) {
    const file = contents || "";
    this.#robots = new Robots(typeof file === "string" ? file.replace(LONE_SURROGATE, NO_UTF8) : file, options);
    const own = parsed(String(url));
    this.#origin = own && originOf(own);
  }

  /** True if the URL may be fetched. `undefined` if this robots.txt is not the one for the URL. */
  isAllowed(url: Address, ua?: string): boolean | undefined {
    const own = this.#own(url);
    return own === undefined ? undefined : this.#policy(ua).isAllowed(own);
  }

  /** The opposite of {@link RobotsParser.isAllowed}: `true` too if this robots.txt is not the one for the URL. */
  isDisallowed(url: Address, ua?: string): boolean {
    return !this.isAllowed(url, ua);
  }

  /**
   * True if a group that names the crawler disallows the URL, groups for `*` not counted. `undefined` if this robots.txt
   * is not the one for the URL. (It is in robots-parser's repository; 3.0.1 does not have it yet.)
   */
  isExplicitlyDisallowed(url: Address, ua?: string): boolean | undefined {
    const own = this.#own(url);
    if (own === undefined) return undefined;
    const { selection, verdict } = this.#robots.explain(crawlerOf(ua), own);
    // Without a name, the groups for `*` are those that name it.
    return (selection?.choice === "named" || isEverybody(ua)) && verdict === "disallow";
  }

  /** The line of the rule that decides, from 1; -1 if none does. */
  getMatchingLineNumber(url: Address, ua?: string): number {
    const own = this.#own(url);
    if (own === undefined) return -1;
    return this.#policy(ua).decide(own).rule?.line ?? -1;
  }

  /** The crawl delay in seconds. */
  getCrawlDelay(ua?: string): number | undefined {
    return this.#policy(ua).crawlDelay ?? undefined;
  }

  /** The values of the sitemap lines. */
  getSitemaps(): string[] {
    return this.#robots.sitemaps.filter((sitemap) => sitemap !== "");
  }

  /** The value of the last `Host` line, in lower case. */
  getPreferredHost(): string | null {
    const hosts = this.#robots.lines().filter(({ name, value }) => name.toLowerCase() === "host" && value !== "");
    return hosts.at(-1)?.value.toLowerCase() ?? null;
  }

  /** Frees the memory now instead of when this object is garbage. */
  free(): void {
    for (const policy of this.#policies.values()) policy.free();
    this.#policies.clear();
    this.#robots.free();
  }

  /** The URL as it is compared, if this robots.txt is the one for it. */
  #own(given: Address): string | undefined {
    const origin = this.#origin;
    // As robots-parser does, which takes `URL` objects too.
    const url = String(given);
    if (origin === null) return undefined;
    // Most URLs are written as `URL` would write them, so they need not be parsed.
    if (url.startsWith(origin) && url.charCodeAt(origin.length) === 47) {
      const path = url.slice(origin.length);
      if (PLAIN.test(path) && !DOTS.test(path)) return url;
    }
    const other = parsed(url);
    if (other === null || originOf(other) !== origin) return undefined;
    return other.href;
  }

  #policy(ua: string | undefined): Policy {
    const key = ua ?? "";
    let policy = this.#policies.get(key);
    if (policy === undefined) {
      policy = this.#robots.policy(crawlerOf(ua));
      if (this.#policies.size === KEPT_POLICIES) {
        const [oldest, unused] = this.#policies.entries().next().value!;
        unused.free();
        this.#policies.delete(oldest);
      }
      this.#policies.set(key, policy);
    }
    return policy;
  }
}

function isEverybody(ua: string | undefined): boolean {
  return trimmed(ua) === "*";
}

function trimmed(ua: string | undefined): string {
  return stringOf(ua || "*", "a user agent", MAX_NAME_LENGTH).trim();
}

/** Who asks: the name before a version (`Googlebot/2.1`), or a whole header. */
function crawlerOf(ua: string | undefined): Crawler {
  const text = trimmed(ua);
  // A header has a comment in parentheses, or several products. A name with spaces is one too: it is read like a header.
  if (/[\s();]/.test(text)) return { userAgent: text };
  const name = text.split("/", 1)[0]!;
  return /^[A-Za-z0-9_.-]*$/.test(name) ? name : { userAgent: text };
}

export { OutOfMemoryError, RobotsieveError };

/**
 * Makes a robots.txt that answers like robots-parser's.
 *
 * @param url the URL of the robots.txt: it is valid for URLs with the same protocol, host and port
 * @param contents its contents
 */
export default function robotsParser(
  url: Address,
  contents?: Text | null,
  options?: RobotsOptions,
): RobotsParser {
  return new RobotsParser(url, contents, options);
}
