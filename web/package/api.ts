import type {
  Automaton, AutomatonOptions, Crawler, Decision, Diff, DiffOptions, Explanation, Fixed, FixOptions, Group, HeaderName,
  LintCode, LintOptions, LintReport, ProfileComparison, ProfileName, RequestRate, RobotsRecord, Rule, Span, Text,
} from "./types.js";

export type * from "./types.js";

/** What {@link Policy.verdicts} writes for a URL that may not be fetched. */
export declare const DISALLOW: 0;
/** What {@link Policy.verdicts} writes for a URL that may be fetched. */
export declare const ALLOW: 1;
/** What {@link Policy.verdicts} writes for something that is neither a URL nor a path. */
export declare const INVALID: 2;

/** All profiles. */
export declare const PROFILES: readonly ProfileName[];

/** A value that cannot be used. Wrong types throw `TypeError`, sizes over the limits `RangeError`. */
export declare class RobotsieveError extends Error {
  /**
   * - `invalid-url`: neither a URL nor a path that begins with `/`.
   * - `invalid-name`: a name that no `User-agent` line can name, such as `GPTBot/1.0` or a whole header.
   * - `freed`: the object was freed.
   * - `not-initialised`: `await init()` has to come first on this platform.
   * - `internal`: a bug in this package. Objects made before it are lost; new ones work.
   */
  readonly code: "invalid-url" | "invalid-name" | "freed" | "not-initialised" | "internal";
  /** The name that was probably meant, with `invalid-name`. */
  readonly probablyMeant: string | null;
}

/**
 * A robots.txt, parsed. Any text or bytes are a robots.txt, so no content throws. Files of more than 64 MiB throw a
 * `RangeError`.
 *
 * Memory is freed when the object is garbage, at once with `free()` or `using`.
 */
export declare class Robots {
  constructor(file: Text, options?: { profile?: ProfileName });
  readonly profile: ProfileName;
  /** The file as text: the string that was given, or the bytes decoded. All spans are about it. */
  readonly text: string;
  /** The part that is read: without a byte order mark, and cut at the profile's size limit. */
  readonly extent: Span;
  /** The values of all `Sitemap` lines, as written. */
  readonly sitemaps: string[];
  /** The product tokens that `User-agent` lines name, `*` included, in the order of the file. */
  readonly tokens: string[];
  readonly groups: Group[];
  /** All lines of the form `field: value`. */
  records(): RobotsRecord[];
  /** What the file says to a crawler: to ask about many URLs. A policy outlives its `Robots`. */
  policy(crawler: Crawler): Policy;
  /** `policy(crawler).isAllowed(url)`, for one question. */
  isAllowed(crawler: Crawler, url: Text): boolean;
  /** Why the crawler may or may not fetch the URL. */
  explain(crawler: Crawler, url: Text): Explanation;
  /** The answers of all four profiles, and what makes them differ. This file's own profile plays no part. */
  compareProfiles(crawler: Crawler, url: Text): ProfileComparison;
  /** Seconds between two requests by `Crawl-delay`; at most a day. */
  crawlDelay(crawler: Crawler): number | null;
  requestRate(crawler: Crawler): RequestRate | null;
  /** Seconds between the beginnings of two requests, by `Crawl-delay` and `Request-rate`. */
  minInterval(crawler: Crawler): number | null;
  /** What is wrong with the file, and what has no effect. Not in `robotsieve/core`. */
  lint(options?: LintOptions): LintReport;
  /** The file with the fixes of `lint` applied. Not in `robotsieve/core`. */
  fix(options?: FixOptions): Fixed;
  /** Frees the memory now. Policies stay usable. */
  free(): void;
  [Symbol.dispose](): void;
}

/** What a robots.txt says to one crawler. Made by {@link Robots.policy}. */
export declare class Policy {
  /** Whether the crawler may fetch this URL, or this path that begins with `/`. */
  isAllowed(url: Text): boolean;
  /**
   * The verdicts on many URLs in one call, much faster than one by one: for each URL {@link ALLOW}, {@link DISALLOW} or
   * {@link INVALID}. Nothing throws because of a single URL.
   */
  verdicts(urls: Iterable<Text>): Uint8Array;
  /** The verdict with its reason. */
  decide(url: Text): Decision;
  /** The crawler's rules from highest to lowest precedence. */
  readonly rules: Rule[];
  /** The `User-agent` lines of the groups that apply: line and value. */
  readonly group: { line: number; value: string }[];
  /** What answers the next question. */
  readonly engine: "scan" | "dfa" | "lazy" | "segments";
  /** The limit that keeps the policy from being a DFA, in words. `null` if it is one or is not compiled yet. */
  readonly limitHit: string | null;
  /** Compiles now instead of later. */
  compile(): void;
  /**
   * The policy's automaton, compiled if it was not. `null` if the rules are over its limits: {@link Policy.limitHit} says
   * which.
   */
  automaton(options?: AutomatonOptions): Automaton | null;
  /** The whole automaton as a Graphviz graph. `null` as for {@link Policy.automaton}. */
  toDot(): string | null;
  readonly crawlDelay: number | null;
  readonly requestRate: RequestRate | null;
  readonly minInterval: number | null;
  free(): void;
  [Symbol.dispose](): void;
}

/** The names in a `User-Agent` header, the surest first. */
export declare function headerNames(header: Text): HeaderName[];

/** All kinds of findings of {@link Robots.lint}, by number. Not in `robotsieve/core`. */
export declare function lintCodes(): LintCode[];

/** What changed from one robots.txt to another, in meaning. Not in `robotsieve/core`. */
export declare function diff(before: Robots | Text, after: Robots | Text, options?: DiffOptions): Diff;

/**
 * Makes the package ready. Needed in browsers (pages and workers) only; in Node and in Cloudflare's workers it is ready
 * at import, and this returns at once. Call it as often as you like.
 *
 * @param source where the module is: a URL, a `Response`, its bytes, or a compiled module. Default: the `.wasm` beside
 * this file.
 */
export declare function init(
  source?: string | URL | Response | PromiseLike<Response> | BufferSource | WebAssembly.Module,
): Promise<void>;
