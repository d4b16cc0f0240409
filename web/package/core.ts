/// <reference lib="esnext.disposable" preserve="true" />

import {
  answer, assertReady, call, judge, MAX_EXPLAINED_URL_LENGTH, MAX_FILE_BYTES, MAX_NAME_LENGTH, putUrl, shrink, written,
} from "./bytes.js";
import { currentInstance, failed, freed, RobotsieveError } from "./error.js";
import { bytesOf, listOf, optionsOf, shown, urlOf } from "./given.js";
import type { CompareReport, ExplainReport, Span } from "./reports.js";
import type {
  Automaton, AutomatonOptions, Crawler, Decision, Group, HeaderName, Line, ProfileName, Rate, RobotsOptions, Rule, Spans,
  Text, Url,
} from "./types.js";
import * as wasm from "./wasm.js";

export type * from "./reports.js";
export type * from "./types.js";
export { OutOfMemoryError, RobotsieveError, type ErrorCode } from "./error.js";

/** The answer of {@link Policy.verdicts} for a URL that may not be fetched. */
export const DISALLOW = 0;
/** The answer of {@link Policy.verdicts} for a URL that may be fetched. */
export const ALLOW = 1;
/** The answer of {@link Policy.verdicts} for what is neither a URL nor a path that begins with `/`. */
export const INVALID = 2;

/** All profiles, in the order of {@link CompareReport.explanations}. */
export const PROFILES: readonly ProfileName[] = Object.freeze<ProfileName[]>([
  "rfc9309", "google", "google-classic", "original-1994",
]);

/** The number by which the module knows a profile. */
export function profileNumber(profile: ProfileName): number {
  const number = PROFILES.indexOf(profile);
  if (number < 0) throw new RangeError(`there is no profile ${shown(profile)}; there are ${PROFILES.join(", ")}`);
  return number;
}

/** True if positions are counted in UTF-16 code units. */
function isUtf16(spans: Spans): boolean {
  if (spans !== "bytes" && spans !== "utf16") throw new RangeError(`spans must be "bytes" or "utf16", not ${shown(spans)}`);
  return spans === "utf16";
}

interface Pace {
  crawl_delay: number | null;
  request_rate: Rate | null;
  min_interval: number | null;
}

/** How Node, Bun and Deno find what `console.log` shows of an object, whose fields are private. */
const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

type Inspect = (value: unknown, options: unknown) => string;

/** An object as `console.log` shows it: its class, and these fields. */
function inspected(name: string, read: () => object, options: unknown, inspect?: Inspect): unknown {
  try {
    const fields = read();
    return inspect === undefined ? fields : `${name} ${inspect(fields, options)}`;
  } catch (error) {
    return `${name} (${error instanceof RobotsieveError ? error.code : error})`;
  }
}

/**
 * Refuses a URL in the place of the crawler: that is the order of robots-parser. As a name it would silently obey the
 * group of `*`, or be refused for its characters.
 */
function inOrder(method: string, crawler: unknown, url: unknown): void {
  const given = urlOf(crawler as Url);
  const isName = typeof url === "string" && !/^\/|:\/\//.test(url);
  if (typeof given !== "string" || !isName || !/^\/|^[a-z][a-z\d+.-]*:\/\//i.test(given)) return;
  throw new RobotsieveError(
    "invalid-name",
    `${method} takes the crawler first, then the URL: ${method}(${shown(url)}, ${shown(given)}). ` +
      "robotsieve/robots-parser has the order of robots-parser",
  );
}

/**
 * The module's half of `Robots` objects, the number of the instance that has it, and whether the caller named the
 * profile.
 */
const raws = new WeakMap<Robots, { raw: wasm.RawRobots; instance: number; isNamed: boolean }>();

export function rawOf(robots: Robots): wasm.RawRobots {
  const held = raws.get(robots);
  if (held === undefined) throw freed("Robots");
  return held.raw;
}

export function isProfileNamed(robots: Robots): boolean {
  return raws.get(robots)?.isNamed ?? false;
}

/**
 * A robots.txt, parsed. Any text or bytes are a robots.txt, so no content throws. A file of more than 8 MiB throws a
 * `RangeError`.
 *
 * The module's memory is freed when the object is garbage, or at once with `free()` or `using`. A loop that makes
 * thousands without a pause should do that: garbage is collected between tasks only.
 *
 * ```ts
 * const robots = new Robots("User-agent: *\nDisallow: /search\nAllow: /search/about\n");
 * const policy = robots.policy("MyCrawler");
 * policy.isAllowed("https://example.com/search/about"); // true
 * policy.isAllowed("https://example.com/search?q=x"); // false
 * ```
 */
export class Robots {
  /** The reading of the protocol. */
  readonly profile: ProfileName;
  /** The file's name. */
  readonly name: Text | null;
  #text: string | null;

  constructor(file: Text, options?: RobotsOptions) {
    assertReady();
    const { profile: named, name, spans = "bytes" } = optionsOf(options, "profile", "name", "spans");
    const profile = named ?? "rfc9309";
    const [number, utf16] = [profileNumber(profile), isUtf16(spans)];
    const bytes = bytesOf(file, "a file", MAX_FILE_BYTES);
    const nameBytes = name === undefined ? name : bytesOf(name, "a name", MAX_NAME_LENGTH);
    const raw = call(() => new wasm.RawRobots(bytes, number, nameBytes, utf16));
    raws.set(this, { raw, instance: currentInstance(), isNamed: named !== undefined });
    this.profile = profile;
    this.name = name ?? null;
    this.#text = typeof file === "string" ? file : null;
  }

  /** The file as text: the string that was given, or the bytes decoded. Spans in UTF-16 are about it. */
  get text(): string {
    const raw = rawOf(this);
    this.#text ??= new TextDecoder("utf-8", { ignoreBOM: true }).decode(call(() => raw.text()));
    return this.#text;
  }

  /** The part that is read: without a byte order mark, and cut at the profile's size limit. */
  get extent(): Span {
    return this.#ask<{ file_span: Span }>((raw) => raw.extent()).file_span;
  }

  /** The values of all `Sitemap` lines, as written. */
  get sitemaps(): string[] {
    return this.#ask((raw) => raw.sitemaps());
  }

  /** The product tokens that `User-agent` lines name, `*` included, in the order of the file. */
  get tokens(): string[] {
    return this.#ask((raw) => raw.tokens());
  }

  /** The groups with their `User-agent` lines. */
  get groups(): Group[] {
    return this.#ask((raw) => raw.groups());
  }

  /** All lines of the form `field: value`. */
  lines(): Line[] {
    return this.#ask((raw) => raw.lines());
  }

  /**
   * The policy for a crawler: to ask about many URLs. A policy outlives its `Robots`.
   *
   * Throws a {@link RobotsieveError} with the code `invalid-name` for a name that no `User-agent` line can name, instead
   * of silently obeying the group of `*`.
   */
  policy(crawler: Crawler): Policy {
    const bytes = written([crawler]);
    const raw = rawOf(this);
    return Policy.of(call(() => raw.policy(bytes)));
  }

  /** `policy(crawler).isAllowed(url)`, for one question. */
  isAllowed(crawler: Crawler, url: Url): boolean {
    inOrder("isAllowed", crawler, url);
    const policy = this.policy(crawler);
    try {
      return policy.isAllowed(url);
    } finally {
      policy.free();
    }
  }

  /**
   * The reason why the crawler may or may not fetch the URL. Compiles nothing. URLs of more than 65,536 characters throw a
   * `RangeError`.
   */
  explain(crawler: Crawler, url: Url): ExplainReport {
    inOrder("explain", crawler, url);
    const [who, text] = [written([crawler]), urlOf(url)];
    const bytes = bytesOf(text, "a URL to explain", MAX_EXPLAINED_URL_LENGTH);
    return this.#ask((raw) => raw.explain(who, bytes), text);
  }

  /**
   * The answers of all four profiles on a URL, and what makes them differ. The profile of this object plays no part,
   * except that it decides which names of crawlers are valid.
   */
  compareProfiles(crawler: Crawler, url: Url): CompareReport {
    inOrder("compareProfiles", crawler, url);
    const [who, text] = [written([crawler]), urlOf(url)];
    const bytes = bytesOf(text, "a URL to explain", MAX_EXPLAINED_URL_LENGTH);
    return this.#ask((raw) => raw.compareProfiles(who, bytes), text);
  }

  /** Seconds between two requests by `Crawl-delay`; at most a day. `null` if the file has none for the crawler. */
  crawlDelay(crawler: Crawler): number | null {
    return this.#pace(crawler).crawl_delay;
  }

  /** The number of requests to make in a time, by `Request-rate`. */
  requestRate(crawler: Crawler): Rate | null {
    return this.#pace(crawler).request_rate;
  }

  /** Seconds between the beginnings of two requests, by `Crawl-delay` and `Request-rate`. */
  minInterval(crawler: Crawler): number | null {
    return this.#pace(crawler).min_interval;
  }

  /** Frees the memory now. Its policies stay usable; the object itself does not. */
  free(): void {
    const held = raws.get(this);
    raws.delete(this);
    if (held !== undefined) release(held.raw, held.instance);
  }

  /** @internal */
  [INSPECT](_depth: unknown, options: unknown, inspect?: Inspect): unknown {
    const { profile, name } = this;
    return inspected("Robots", () => ({ profile, name, tokens: this.tokens, sitemaps: this.sitemaps }), options, inspect);
  }

  #pace(crawler: Crawler): Pace {
    const who = written([crawler]);
    return this.#ask((raw) => raw.pace(who));
  }

  #ask<T>(ask: (raw: wasm.RawRobots) => string, given?: unknown): T {
    const raw = rawOf(this);
    return answer(call(() => ask(raw), given));
  }
}

/** Frees what an object holds, unless it was lost with its instance of the module. */
export function release(raw: { free(): void }, instance: number): void {
  if (instance === currentInstance()) call(() => raw.free());
}

/** The rules of a robots.txt for one crawler. Made by {@link Robots.policy}. */
export class Policy {
  #raw: wasm.RawPolicy | null;
  readonly #instance = currentInstance();

  private constructor(raw: wasm.RawPolicy) {
    if (!(raw instanceof wasm.RawPolicy)) throw new TypeError("a Policy is made by Robots.policy(crawler)");
    this.#raw = raw;
  }

  /** @internal */
  static of(raw: wasm.RawPolicy): Policy {
    return new Policy(raw);
  }

  /**
   * True if the crawler may fetch this URL, or this path that begins with `/`.
   *
   * Throws a {@link RobotsieveError} with the code `invalid-url` if it is neither; never in the profile `google`, which
   * takes anything for a URL.
   */
  isAllowed(url: Url): boolean {
    const text = urlOf(url);
    const raw = this.#raw;
    if (raw === null) throw freed("Policy");
    const length = putUrl(text);
    let verdict;
    try {
      verdict = raw.answer(length);
    } catch (error) {
      throw failed(error);
    }
    // The buffer has the URL still.
    if (verdict === INVALID) call(() => raw.decide(length), text);
    return verdict === ALLOW;
  }

  /**
   * The verdicts on many URLs in one call, a tenth faster than one by one: for each URL {@link ALLOW} (1),
   * {@link DISALLOW} (0) or {@link INVALID} (2). No URL throws unless it is no text at all.
   */
  verdicts(urls: Iterable<Url>): Uint8Array {
    const list = listOf(urls, "urls");
    for (const [index, url] of list.entries()) if (typeof url !== "string") list[index] = urlOf(url);
    return judge(this.#live(), list as Text[]);
  }

  /** The verdict with its reason. To explain, not to filter: {@link Policy.isAllowed} is much faster. */
  decide(url: Url): Decision {
    const text = urlOf(url);
    const raw = this.#live();
    const length = putUrl(text);
    const decision = answer<Decision>(call(() => raw.decide(length), text));
    shrink();
    return decision;
  }

  /** The crawler's rules from highest to lowest precedence, those with an empty value left out. */
  get rules(): Rule[] {
    return this.#ask((raw) => raw.rules());
  }

  /** The `User-agent` lines of the groups that apply: line, from 1, and value. */
  get group(): { line: number; value: string }[] {
    return this.#ask((raw) => raw.group());
  }

  /** The engine that answers the next question: see the documentation of the Rust library. It never changes a verdict. */
  get engine(): "scan" | "dfa" | "lazy" | "segments" {
    const raw = this.#live();
    return call(() => raw.engine()) as "scan" | "dfa" | "lazy" | "segments";
  }

  /** The limit that keeps the policy from being a DFA, in words. `null` if it is one or is not compiled yet. */
  get limitHit(): string | null {
    const raw = this.#live();
    return call(() => raw.limitHit()) ?? null;
  }

  /** Compiles now instead of after some questions, when that pays. */
  compile(): void {
    const raw = this.#live();
    call(() => raw.compile());
  }

  /**
   * The policy's automaton, compiled if it was not. `null` if the rules are over its limits: {@link Policy.limitHit} says
   * which. URLs of more than 65,536 characters throw a `RangeError`.
   */
  automaton(options?: AutomatonOptions): Automaton | null {
    const { url, maxStates = 512 } = optionsOf(options, "url", "maxStates");
    if (!Number.isInteger(maxStates) || maxStates < 1 || maxStates > 65_536) {
      throw new RangeError("maxStates must be an integer from 1 to 65536");
    }
    const text = url === undefined ? undefined : urlOf(url);
    const bytes = text === undefined ? undefined : bytesOf(text, "a URL to explain", MAX_EXPLAINED_URL_LENGTH);
    const raw = this.#live();
    const json = call(() => raw.automaton(bytes, maxStates), text);
    return json === undefined ? null : answer(json);
  }

  /** The whole automaton as a Graphviz graph. `null` as for {@link Policy.automaton}. */
  toDot(): string | null {
    const raw = this.#live();
    return call(() => raw.toDot()) ?? null;
  }

  /** Seconds between two requests by `Crawl-delay`; at most a day. */
  get crawlDelay(): number | null {
    return this.#ask<Pace>((raw) => raw.pace()).crawl_delay;
  }

  /** The number of requests to make in a time, by `Request-rate`. */
  get requestRate(): Rate | null {
    return this.#ask<Pace>((raw) => raw.pace()).request_rate;
  }

  /** Seconds between the beginnings of two requests, by `Crawl-delay` and `Request-rate`. */
  get minInterval(): number | null {
    return this.#ask<Pace>((raw) => raw.pace()).min_interval;
  }

  /** @internal */
  [INSPECT](_depth: unknown, options: unknown, inspect?: Inspect): unknown {
    const rules = () => this.rules.map(({ line, verdict, value }) => `line ${line}: ${verdict} ${value}`);
    return inspected("Policy", () => ({ rules: rules(), crawlDelay: this.crawlDelay, requestRate: this.requestRate }), options, inspect);
  }

  /** Frees the memory now. */
  free(): void {
    const raw = this.#raw;
    this.#raw = null;
    if (raw !== null) release(raw, this.#instance);
  }

  #live(): wasm.RawPolicy {
    if (this.#raw === null) throw freed("Policy");
    return this.#raw;
  }

  #ask<T>(ask: (raw: wasm.RawPolicy) => string): T {
    const raw = this.#live();
    return answer(call(() => ask(raw)));
  }
}

export interface Robots extends Disposable {}
export interface Policy extends Disposable {}

// Where `using` is not known yet, neither is its symbol.
if (Symbol.dispose !== undefined) {
  for (const { prototype } of [Robots, Policy]) {
    Object.defineProperty(prototype, Symbol.dispose, { value: prototype.free, configurable: true, writable: true });
  }
}

/** The names in a `User-Agent` header, the surest first. */
export function headerNames(header: Text, options?: { spans?: Spans }): HeaderName[] {
  assertReady();
  const { spans = "bytes" } = optionsOf(options, "spans");
  const [bytes, utf16] = [bytesOf(header, "a header", MAX_NAME_LENGTH), isUtf16(spans)];
  return answer(call(() => wasm.headerNames(bytes, utf16)));
}
