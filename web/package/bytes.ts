// How text and crawlers reach the module.

import { failed, onReset, renew, RobotsieveError } from "./error.js";
import { bytesOf, lengthOf, listOf, put, stringOf, tooLong, typeName } from "./given.js";
import type { Crawler, Text } from "./types.js";
import * as wasm from "./wasm.js";

/** The largest file, in bytes. What is said about a larger one would not fit into the module's memory. */
export const MAX_FILE_BYTES = 8 << 20;
/** The longest URL, in UTF-16 code units or bytes. */
export const MAX_URL_LENGTH = 16 << 20;
/** The longest URL to explain: an explanation is much larger than the URL. */
export const MAX_EXPLAINED_URL_LENGTH = 64 << 10;
/** The longest name or header. */
export const MAX_NAME_LENGTH = 1 << 20;

/** All crawlers of one call, as the module reads them. */
const MAX_CRAWLERS_BYTES = 4 << 20;

const encoder = new TextEncoder();
let isReady = false;

/** The platform's file calls this once the module is there. */
export function ready(): void {
  isReady = true;
}

export function assertReady(): void {
  if (!isReady) {
    throw new RobotsieveError("not-initialised", "the module is not loaded yet: `await init()` first");
  }
  renew();
}

// ---- the scratch buffer --------------------------------------------------------------------------------------------

const START_BYTES = 1 << 16;
/** A larger buffer is not kept. */
const KEPT_BYTES = 1 << 22;

let memory: ReturnType<typeof wasm.moduleMemory> | undefined;
/** Where no memory is known. Views of memory that has grown are empty too, but detached. */
const NONE = new Uint8Array(0);
let view: Uint8Array<ArrayBuffer> = NONE;
let place = 0;
let capacity = 0;

onReset(() => {
  memory = undefined;
  view = NONE;
  capacity = 0;
});

/** The buffer, with room for so many bytes. What was in it is lost. */
function room(bytes: number): Uint8Array<ArrayBuffer> {
  if (bytes > capacity) {
    // Only a power of two above what is wanted, so that growing URLs do not allocate each time.
    const wanted = Math.max(START_BYTES, 2 ** Math.ceil(Math.log2(bytes)));
    try {
      place = wasm.scratch(wanted);
    } catch (error) {
      throw failed(error);
    }
    capacity = wanted;
    view = NONE;
  }
  // The memory has grown: then views of what it was are detached and empty.
  if (view.length === 0) {
    memory ??= wasm.moduleMemory();
    view = new Uint8Array(memory.buffer as ArrayBuffer, place, capacity);
  }
  return view;
}

/** Gives a large buffer back. */
export function shrink(): void {
  if (capacity > KEPT_BYTES) {
    capacity = 0;
    room(START_BYTES);
  }
}

/** Writes a URL into the buffer, and returns its length in bytes. */
export function putUrl(url: Text): number {
  const length = lengthOf(url, "a URL", MAX_URL_LENGTH);
  if (typeof url === "string") return encoder.encodeInto(url, room(length * 3)).written;
  put(url, room(length), 0, "a URL");
  return length;
}

/** The UTF-16 code units and bytes that are judged in one call, about. */
const CHUNK = 1 << 18;

/** A policy that judges the URLs in the buffer. */
interface Judge {
  answersByLine(len: number, count: number): Uint8Array;
  answersByLength(len: number, lengths: Uint32Array): Uint8Array;
}

/** The answers for many URLs, in an array that nobody else has. */
export function judge(judge: Judge, urls: readonly Text[]): Uint8Array {
  const answers = new Uint8Array(urls.length);
  for (let from = 0; from < urls.length;) {
    let to = from;
    let length = 0;
    let isText = true;
    for (; to < urls.length && length < CHUNK; to++) {
      const url = urls[to]!;
      length += lengthOf(url, "a URL", MAX_URL_LENGTH) + 1;
      if (typeof url !== "string") isText = false;
    }
    const chunk = to - from === urls.length ? urls : urls.slice(from, to);
    answers.set(chunkAnswers(judge, chunk, length, isText), from);
    from = to;
  }
  shrink();
  return answers;
}

function chunkAnswers(judge: Judge, urls: readonly Text[], length: number, isText: boolean): Uint8Array {
  if (isText) {
    const { written } = encoder.encodeInto(urls.join("\n"), room(length * 3));
    const answers = call(() => judge.answersByLine(written, urls.length));
    if (answers.length === urls.length) return answers;
    // Some URL has a line feed in it.
  }
  const buffer = room(length * 3);
  const lengths = new Uint32Array(urls.length);
  let at = 0;
  urls.forEach((url, index) => {
    if (typeof url === "string") {
      lengths[index] = encoder.encodeInto(url, buffer.subarray(at)).written;
    } else {
      put(url, buffer, at, "a URL");
      lengths[index] = lengthOf(url, "a URL", MAX_URL_LENGTH);
    }
    at += lengths[index]!;
  });
  return call(() => judge.answersByLength(at, lengths));
}

/** The module's answer. Its errors become those of this package. */
export function call<T>(ask: () => T, given?: unknown): T {
  try {
    return ask();
  } catch (error) {
    throw failed(error, given);
  }
}

/** The module's answer in JSON. It is empty where it would be too long: see `../src/json.rs`. */
export function answer<T>(json: string): T {
  if (json === "") throw new RangeError("the answer would be longer than 128 MiB: ask about a shorter file or URL");
  return JSON.parse(json) as T;
}

// ---- texts with their lengths --------------------------------------------------------------------------------------

/** Writes what `Reader` of `../src/crawler.rs` reads. */
export class Writer {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** `what` is the name of it all in errors. */
  constructor(readonly what: string, readonly most: number) {}

  bytes(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length > this.most) throw tooLong(this.what, this.most);
  }

  byte(value: number): void {
    this.bytes(Uint8Array.of(value));
  }

  number(value: number): void {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, value, true);
    this.bytes(bytes);
  }

  /** Bytes with their length before them. */
  text(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.bytes(bytes);
  }

  all(): Uint8Array {
    const all = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}

/** Crawlers as `../src/crawler.rs` reads them. */
export function written(crawlers: readonly Crawler[]): Uint8Array {
  const writer = new Writer("the names of all crawlers together", MAX_CRAWLERS_BYTES);
  for (const crawler of crawlers) {
    const [kind, all] = namesOf(crawler);
    writer.byte(kind);
    writer.number(all.length);
    for (const name of all) writer.text(name);
  }
  return writer.all();
}

/** The kinds are those of `../src/crawler.rs`. */
function namesOf(crawler: Crawler): [kind: number, names: Uint8Array[]] {
  if (typeof crawler === "string") return [0, [nameBytes(crawler)]];
  if (Array.isArray(crawler)) return [0, listOf<string>(crawler, "names").map(nameBytes)];
  if (typeof crawler === "object" && crawler !== null) {
    if ("userAgent" in crawler) return [1, [bytesOf(crawler.userAgent, "userAgent", MAX_NAME_LENGTH)]];
    if ("names" in crawler) return [2, listOf<string>(crawler.names, "names").map(nameBytes)];
    if ("firstOf" in crawler) return [3, listOf<string>(crawler.firstOf, "firstOf").map(nameBytes)];
  }
  throw new TypeError(
    "a crawler must be a name, an array of names, { userAgent: header }, { names: array } or { firstOf: array }, " +
      `not ${typeName(crawler)}`,
  );
}

function nameBytes(name: string): Uint8Array {
  return bytesOf(stringOf(name, "a crawler's name", MAX_NAME_LENGTH), "a crawler's name", MAX_NAME_LENGTH);
}
