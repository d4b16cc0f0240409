import { answer, assertReady, call, MAX_FILE_BYTES, MAX_NAME_LENGTH, MAX_URL_LENGTH, Writer, written } from "./bytes.js";
import { rawOf, release, Robots } from "./core.js";
import { currentInstance, freed } from "./error.js";
import { bytesOf, isBytes, listOf, optionsOf, shown, stringOf, typeName, urlOf } from "./given.js";
import type {
  GivenFiles, GivenHeaders, PolicyToken, Rights, RightsOptions, RightsReport, TagReading, Vocabulary,
} from "./rights-types.js";
import type { Crawler, Text, Url } from "./types.js";
import * as wasm from "./wasm.js";

export type * from "./rights-types.js";

/** All that is known of a URL. Nothing is fetched: what is not given is unknown. */
export interface RightsSources {
  /** Its robots.txt; empty for a site without one. Without it crawling is unknown. For many URLs: {@link RightsReader.robots}. */
  robots?: RobotsRights | Robots | Text;
  headers?: GivenHeaders;
  /** The page: up to 64 MiB. */
  html?: Text;
  /** In its place an image, a video or a PDF, of which the XMP is read: up to 64 MiB. */
  xmp?: Uint8Array;
  /** `/.well-known/tdmrep.json` and RSL documents; for many URLs a {@link Documents}. */
  files?: Documents | GivenFiles;
}

/** The largest page, or other file in its place, in bytes. */
const MAX_PAGE_BYTES = 64 << 20;
/** All names and values of a header together, in bytes. */
const MAX_HEADER_BYTES = 8 << 20;

const TDM_PATH = "/.well-known/tdmrep.json";

/** Whose reading of robots tags can be followed. */
export const TAG_READINGS: readonly TagReading[] = Object.freeze<TagReading[]>(["generic", "google", "bing", "yandex", "amazon"]);

/** The drafts of draft-ietf-aipref-vocab that can be followed, the newest last. */
export const VOCABULARIES: readonly Vocabulary[] = Object.freeze<Vocabulary[]>(["01", "02", "03", "04", "05", "06", "07", "08"]);

/** The policy tokens that are known: names in robots.txt that no crawler sends, and the purposes that they stand for. */
export function policyTokens(): PolicyToken[] {
  assertReady();
  return answer(call(() => wasm.policyTokens()));
}

/** The module's half of an object. */
class Held<Raw extends { free(): void }> {
  readonly #what: string;
  readonly #instance = currentInstance();
  #raw: Raw | null;

  constructor(what: string, raw: Raw) {
    this.#what = what;
    this.#raw = raw;
  }

  get live(): Raw {
    if (this.#raw === null) throw freed(this.#what);
    return this.#raw;
  }

  free(): void {
    const raw = this.#raw;
    this.#raw = null;
    if (raw !== null) release(raw, this.#instance);
  }
}

const robotsHeld = new WeakMap<RobotsRights, { held: Held<wasm.RawRobotsRights>; reader: RightsReader }>();
const documentsHeld = new WeakMap<Documents, Held<wasm.RawDocuments>>();

/**
 * Says for each purpose (crawl, index, snippet, ai-input, ai-train) whether a crawler may use a URL for it, and who says so:
 * from robots.txt, the response's header, the page or the XMP of another file, and files of the site. It fetches nothing.
 *
 * The most restrictive statement wins, and silence is never permission. What is read changes with its drafts, even in a minor
 * version of this package. This is no legal advice.
 *
 * ```ts
 * const reader = new RightsReader("GPTBot");
 * const robots = reader.robots("User-agent: *\nContent-Usage: train-ai=n\n");
 * reader.rights("https://example.com/", { robots })["ai-train"]; // "disallow"
 * ```
 */
export class RightsReader {
  readonly #raw: Held<wasm.RawRightsReader>;
  /** What stands for a robots.txt and for files that are not given. */
  readonly #noRobots: Held<wasm.RawRobotsRights>;
  readonly #noFiles: Held<wasm.RawDocuments>;
  /** In seconds since 1970; `null`: by the clock. */
  readonly #now: number | null;

  /** Throws a {@link RobotsieveError} with the code `invalid-name` for a name that no `User-agent` line can name. */
  constructor(crawler: Crawler, options?: RightsOptions) {
    assertReady();
    const { reading = "generic", vocabulary = "08", now, policyTokens: tokens = [] } =
      optionsOf(options, "reading", "vocabulary", "now", "policyTokens");
    if (!TAG_READINGS.includes(reading)) throw unknown("reading", reading, TAG_READINGS);
    if (!VOCABULARIES.includes(vocabulary)) throw unknown("vocabulary", vocabulary, VOCABULARIES);
    this.#now = now === undefined ? null : secondsOf(now);
    const named = tokensOf(listOf(tokens, "policyTokens"));
    const who = written([crawler]);
    this.#raw = new Held("RightsReader", call(() => new wasm.RawRightsReader(who, reading, vocabulary, named)));
    this.#noRobots = new Held("RightsReader", call(() => wasm.RawRobotsRights.ofNone()));
    this.#noFiles = new Held("RightsReader", call(() => new wasm.RawDocuments()));
  }

  /**
   * What a robots.txt says of the crawler's rights, compiled for many URLs. A text is read in the profile `rfc9309`; give a
   * {@link Robots} for another one. The result outlives its `Robots`.
   */
  robots(robots: Robots | Text): RobotsRights {
    const raw = this.#raw.live;
    if (robots instanceof Robots) {
      const file = rawOf(robots);
      return RobotsRights.of(call(() => raw.robots(file)), this);
    }
    const made = new Robots(robots);
    try {
      return this.robots(made);
    } finally {
      made.free();
    }
  }

  /**
   * The rights of a URL: the object that `robotsieve rights --format json` prints.
   *
   * Throws a {@link RobotsieveError} with the code `invalid-url` for what is neither a URL nor a path that begins with `/`, and
   * with the code `invalid-header` for headers as text with a line that is none.
   */
  rights(url: Url, sources?: RightsSources): Rights {
    return this.#ask("rights", url, sources);
  }

  /** The same in words: for each purpose the places that decided, with what stands there, and then what else is known. */
  report(url: Url, sources?: RightsSources): RightsReport {
    return this.#ask("report", url, sources);
  }

  /** Frees the memory now. What it made of a robots.txt must be freed on its own, and is of no more use. */
  free(): void {
    for (const held of [this.#raw, this.#noRobots, this.#noFiles]) held.free();
  }

  #ask<T>(kind: "rights" | "report", url: Url, sources: RightsSources | undefined): T {
    const { robots, headers, html, xmp, files } = optionsOf(sources, "robots", "headers", "html", "xmp", "files");
    if (html !== undefined && xmp !== undefined) {
      throw new TypeError("a response is a page or another file: give html or xmp, not both");
    }
    const text = urlOf(url);
    const address = bytesOf(text, "a URL", MAX_URL_LENGTH);
    const fields = headers === undefined ? new Uint8Array() : fieldsOf(headers);
    const page = html === undefined ? undefined : bytesOf(html, "a page", MAX_PAGE_BYTES);
    const media = xmp === undefined ? undefined : bytesOf(xmp, "a file with XMP", MAX_PAGE_BYTES);
    const made: { free(): void }[] = [];
    const own = <M extends { free(): void }>(one: M): M => (made.push(one), one);
    try {
      const compiled = robots === undefined || robots instanceof RobotsRights ? robots : own(this.robots(robots));
      const documents = files === undefined || files instanceof Documents ? files : own(new Documents(inFull(files, address)));
      const file = compiled === undefined ? this.#noRobots.live : compiledBy(this, compiled);
      const there = documents === undefined ? this.#noFiles.live : documentsOf(documents);
      const raw = this.#raw.live;
      const now = this.#now ?? Math.floor(Date.now() / 1000);
      return answer(call(() => raw[kind](address, file, fields, page, media, there, now), text));
    } finally {
      for (const one of made) one.free();
    }
  }
}

/** What a robots.txt says of the rights of a reader's crawler. Made by {@link RightsReader.robots}. */
export class RobotsRights {
  private constructor(raw: wasm.RawRobotsRights, reader: RightsReader) {
    if (!(raw instanceof wasm.RawRobotsRights)) throw new TypeError("RobotsRights are made by RightsReader.robots(file)");
    robotsHeld.set(this, { held: new Held("RobotsRights", raw), reader });
  }

  /** @internal */
  static of(raw: wasm.RawRobotsRights, reader: RightsReader): RobotsRights {
    return new RobotsRights(raw, reader);
  }

  /** Frees the memory now. */
  free(): void {
    robotsHeld.get(this)?.held.free();
  }
}

function compiledBy(reader: RightsReader, robots: RobotsRights): wasm.RawRobotsRights {
  const made = robotsHeld.get(robots);
  if (made === undefined) throw freed("RobotsRights");
  if (made.reader !== reader) throw new TypeError("robots was made by another RightsReader, and is about that one's crawler");
  return made.held.live;
}

/**
 * Files that were fetched for a site, read once: `/.well-known/tdmrep.json`, and the RSL documents that its robots.txt and its
 * pages name. Each stands under its address: an absolute URL, or `/.well-known/tdmrep.json` for every site that is asked
 * about.
 */
export class Documents {
  constructor(files: GivenFiles) {
    assertReady();
    const read = addressed(files).map(([address, file]): [string, Uint8Array | null] => {
      const name = stringOf(urlOf(address as Url), "an address", MAX_NAME_LENGTH);
      if (name !== TDM_PATH && !name.includes("://")) {
        throw new RangeError(
          `files: ${shown(name)} is no address: write it in full, as in https://example.com/rsl.xml, or /.well-known/tdmrep.json`,
        );
      }
      return [name, file === null ? null : bytesOf(file as Text, `the file ${shown(name)}`, MAX_FILE_BYTES)];
    });
    const held = new Held("Documents", call(() => new wasm.RawDocuments()));
    documentsHeld.set(this, held);
    const raw = held.live;
    for (const [address, file] of read) call(() => (file === null ? raw.addNotRead(address) : raw.add(address, file)));
  }

  /** Frees the memory now. */
  free(): void {
    documentsHeld.get(this)?.free();
  }
}

function addressed(files: GivenFiles): [unknown, unknown][] {
  return entriesOf(files, "files", ["https://example.com/rsl.xml", "file"], true);
}

/** The files with each path made an address of the site that is asked about. */
function inFull(files: GivenFiles, url: Uint8Array): [string, Text | null][] {
  return addressed(files).map(([address, file]) => {
    const isPath = typeof address === "string" && address.startsWith("/") && address !== TDM_PATH;
    return [(isPath ? resolved(address, url) : address) as string, file as Text | null];
  });
}

function resolved(path: string, url: Uint8Array): string {
  try {
    return new URL(path, new TextDecoder().decode(url)).href;
  } catch {
    // A path has no site.
    return path;
  }
}

function documentsOf(documents: Documents): wasm.RawDocuments {
  const held = documentsHeld.get(documents);
  if (held === undefined) throw freed("Documents");
  return held.live;
}

export interface RightsReader extends Disposable {}
export interface RobotsRights extends Disposable {}
export interface Documents extends Disposable {}

if (Symbol.dispose !== undefined) {
  for (const { prototype } of [RightsReader, RobotsRights, Documents]) {
    Object.defineProperty(prototype, Symbol.dispose, { value: prototype.free, configurable: true, writable: true });
  }
}

function unknown(what: string, given: unknown, all: readonly string[]): RangeError {
  return new RangeError(`there is no ${what} ${shown(given)}; there are ${all.join(", ")}`);
}

function secondsOf(now: Date | number): number {
  const ms: unknown = now instanceof Date ? now.getTime() : now;
  if (typeof ms !== "number") throw new TypeError(`now must be a Date, or milliseconds since 1970, not ${typeName(now)}`);
  if (!Number.isFinite(ms)) throw new RangeError("now must be a time that is valid");
  return Math.floor(ms / 1000);
}

function tokensOf(tokens: readonly string[]): string[] {
  const known = tokens.length > 0 ? policyTokens().map(({ name }) => name) : [];
  return tokens.map((token) => {
    const wanted = stringOf(token, "a policy token", MAX_NAME_LENGTH).toLowerCase();
    const found = known.find((name) => name.toLowerCase() === wanted);
    if (found === undefined) throw unknown("policy token", token, known);
    return found;
  });
}

/** The members of an object, or the pairs of an iterable such as a `Map` or `Headers`. */
function entriesOf(
  given: object, what: string, [name, value]: readonly [string, string], keepsNull = false,
): [unknown, unknown][] {
  if (typeof given !== "object" || given === null || isBytes(given)) {
    throw new TypeError(`${what} must be an object such as { "${name}": ${value} } or pairs, not ${typeName(given)}`);
  }
  if (!(Symbol.iterator in given)) {
    return Object.entries(given).filter(([, value]) => value !== undefined && (keepsNull || value !== null));
  }
  return listOf(given as Iterable<unknown>, what).map((pair) => {
    if (!Array.isArray(pair) || pair.length !== 2) {
      throw new TypeError(`${what} in a list must be pairs such as ["${name}", ${value}], not ${shown(pair)}`);
    }
    return [pair[0], pair[1]];
  });
}

/** The fields of a header as `../src/rights.rs` reads them. */
function fieldsOf(headers: GivenHeaders): Uint8Array {
  const writer = new Writer("the headers", MAX_HEADER_BYTES);
  if (typeof headers === "string" || isBytes(headers)) {
    writer.byte(0);
    writer.bytes(bytesOf(headers, "the headers", MAX_HEADER_BYTES));
    return writer.all();
  }
  writer.byte(1);
  for (const [name, value] of entriesOf(headers, "headers", ["X-Robots-Tag", '"noindex"'])) {
    const field = stringOf(name, "the name of a header", MAX_NAME_LENGTH);
    for (const line of Array.isArray(value) ? (value as Text[]) : [value as Text]) {
      writer.text(bytesOf(field, "the name of a header", MAX_NAME_LENGTH));
      writer.text(bytesOf(line, `the header ${shown(field)}`, MAX_HEADER_BYTES));
    }
  }
  return writer.all();
}
