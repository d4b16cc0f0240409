// What callers give, read into plain values. Getters, iterators and conversions run a caller's code, which may free
// objects or change what was given: all of that happens here, before the module is asked.

import type { Address, Text, Url } from "./types.js";

// The prototype's own getters: a subclass or an own property can say something else.
const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const getter = (name: PropertyKey) => Object.getOwnPropertyDescriptor(typedArray, name)!.get!;
const [tag, length] = [getter(Symbol.toStringTag), getter("length")];

/** True for a `Uint8Array`, of this realm or another: an object can pretend. */
export function isBytes(value: unknown): value is Uint8Array {
  return tag.call(value) === "Uint8Array";
}

/** A value's type, for a message. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  try {
    const name: unknown = value.constructor?.name;
    if (typeof name === "string" && name !== "") return name;
  } catch {
    // Its own code threw.
  }
  return "object";
}

/** A value as a message shows it: the beginning of a text, with escapes, or the type of what is no text. */
export function shown(value: unknown): string {
  // A copy, since decoders take no memory that threads share.
  if (isBytes(value)) value = new TextDecoder().decode(new Uint8Array(value).subarray(0, 200));
  if (typeof value !== "string") return typeof value === "number" ? String(value) : typeName(value);
  return JSON.stringify(value.slice(0, 200)) + (value.length > 200 ? "…" : "");
}

/** The length of a text, in UTF-16 code units or bytes. `what` is its name in errors. */
export function lengthOf(text: Text, what: string, most: number): number {
  const len: number = typeof text === "string" ? text.length : isBytes(text) ? length.call(text) : -1;
  if (len < 0) throw new TypeError(`${what} must be a string or a Uint8Array, not ${typeName(text)}${wayOut(text)}`);
  if (len > most) throw tooLong(what, most);
  return len;
}

/** What to do with a value of `fetch`, in the place of its text. */
function wayOut(value: unknown): string {
  const name = typeName(value);
  if (name === "Promise") return ": await it";
  return name === "Response" || name === "Blob" ? `: pass await ${name.toLowerCase()}.text()` : "";
}

/** The text of a `URL`, of this realm or another, or of what else has a `href`. All other values as they are. */
export function urlOf(url: Address): string;
export function urlOf(url: Url): Text;
export function urlOf(url: unknown): unknown {
  if (typeof url !== "object" || url === null || isBytes(url)) return url;
  const { href } = url as { href?: unknown };
  return typeof href === "string" ? href : url;
}

export function tooLong(what: string, most: number): RangeError {
  return new RangeError(`${what} must not be longer than ${most} bytes or characters`);
}

/** Copies bytes, which may be a view of memory that is gone or shared with other threads. */
export function put(bytes: Uint8Array, into: Uint8Array, at: number, what: string): void {
  try {
    into.set(bytes, at);
  } catch (cause) {
    throw new TypeError(`${what} is a view of a buffer that was transferred or has shrunk`, { cause });
  }
}

const encoder = new TextEncoder();

/** A copy of a text's bytes. */
export function bytesOf(text: Text, what: string, most: number): Uint8Array<ArrayBuffer> {
  const len = lengthOf(text, what, most);
  if (typeof text === "string") {
    const bytes = encoder.encode(text);
    if (bytes.length > most) throw tooLong(what, most);
    return bytes;
  }
  const bytes = new Uint8Array(len);
  put(text, bytes, 0, what);
  return bytes;
}

/** A string that was given as an option or argument. */
export function stringOf(text: unknown, what: string, most: number): string {
  if (typeof text !== "string") throw new TypeError(`${what} must be a string, not ${typeName(text)}`);
  if (text.length > most) throw tooLong(what, most);
  return text;
}

/** A list. A string and bytes can be iterated too, but mean one thing. */
export function listOf<T>(list: Iterable<T>, what: string): T[] {
  if (typeof list !== "object" || list === null || isBytes(list) || typeof list[Symbol.iterator] !== "function") {
    throw new TypeError(`${what} must be an array or another iterable, not ${typeName(list)}`);
  }
  return [...list];
}

/** The same for a list without which the question has no meaning. */
export function someOf<T>(list: Iterable<T>, what: string): T[] {
  const all = listOf(list, what);
  if (all.length === 0) throw new RangeError(`${what} must not be empty: leave it out for the default`);
  return all;
}

/**
 * The options with these names. `null` and `undefined` are as if not given. Another name is an error: ignored, a misspelt
 * one would give wrong answers.
 */
export function optionsOf<T extends object>(options: T | null | undefined, ...names: (keyof T & string)[]): Partial<T> {
  const read: Partial<T> = {};
  if (options === undefined || options === null) return read;
  if (typeof options !== "object" || Array.isArray(options)) {
    throw new TypeError(`options must be an object such as { ${names[0]}: … }, not ${typeName(options)}`);
  }
  for (const name of names) read[name] = options[name] ?? undefined;
  for (const name of Object.keys(options)) {
    if (!names.includes(name as never) && (options as Record<string, unknown>)[name] != null) {
      throw new TypeError(`there is no option ${shown(name)}; there ${names.length > 1 ? "are" : "is"} ${names.join(", ")}`);
    }
  }
  return read;
}
