/** The state of the page in a link's fragment, which browsers send to no server. */

import { type Asker, parsedAsker, writtenAsker } from "./engine/asker.js";
import type { ProfileName, TagReading } from "robotsieve";
import { PROFILE_NAMES } from "./profiles.js";
import { READING_NAMES } from "./readings.js";

export const TABS = ["urls", "findings", "crawlers", "compare", "write", "rights", "automaton"] as const;
export type Tab = (typeof TABS)[number];

/** What the rights are read from, besides the file. */
export interface GivenRights {
  headers: string;
  html: string;
  reading: TagReading;
  url: string;
  /** As `writtenAsker` writes it. */
  crawler: string;
}

/** What is filled into the form that a file is written from, by the names of its controls. */
export type GivenWishes = Readonly<Record<string, string>>;

/** What a link carries. */
export interface State {
  file: string;
  /** The older file of the comparison. `null`: none. */
  before: string | null;
  profile: ProfileName;
  askers: Asker[];
  /** One a line. */
  urls: string;
  tab: Tab;
  /** The verdict that is explained: which crawler, and which URL. */
  shown: { asker: number; url: number } | null;
  /** `null`: nothing is given, and the rights are those of the verdict that is explained. */
  rights: GivenRights | null;
  /** `null`: nothing is filled in. */
  wishes: GivenWishes | null;
}

/** Longer links get lost on their way: programs cut them. */
export const MAX_FRAGMENT = 32_768;

/** What a fragment may become: a small one can hold a file of gigabytes. */
const MAX_TEXT = 4 << 20;

const VERSION = "1";

/** A link that cannot be made or read; the message says why. */
export class LinkError extends Error {}

/** Whether two states have the same files, URLs, crawlers, headers, pages and wishes. */
export function isSameWork(a: State, b: State): boolean {
  const askers = (state: State) => state.askers.map(writtenAsker).join("\n");
  const page = ({ rights, wishes }: State) => JSON.stringify([rights?.headers ?? "", rights?.html ?? "", wishes]);
  return a.file === b.file && a.before === b.before && a.urls === b.urls && askers(a) === askers(b) && page(a) === page(b);
}

/** What {@link stateOf} reads. */
export function asText(state: State): string {
  return JSON.stringify({
    f: state.file,
    ...(state.before !== null && { b: state.before }),
    p: state.profile,
    c: state.askers.map(writtenAsker),
    u: state.urls,
    t: state.tab,
    ...(state.shown && { s: [state.shown.asker, state.shown.url] }),
    ...(state.rights && { r: state.rights }),
    ...(state.wishes && { w: state.wishes }),
  });
}

/** @throws if this is no state. */
export function stateOf(text: string): State {
  return checked(JSON.parse(text));
}

/** @throws LinkError if the state is too large. */
export async function written(state: State): Promise<string> {
  const packed = await through(new TextEncoder().encode(asText(state)), new CompressionStream("deflate-raw"), Infinity);
  const fragment = `${VERSION}.${base64url(packed)}`;
  if (fragment.length > MAX_FRAGMENT) {
    const length = fragment.length.toLocaleString("en");
    const limit = MAX_FRAGMENT.toLocaleString("en");
    throw new LinkError(
      `This is too much for a link: it would have ${length} characters, and many programs cut links of more than ` +
        `${limit}. Shorten the file or the list of URLs.`,
    );
  }
  return fragment;
}

/** @throws LinkError if the fragment is damaged. */
export async function read(fragment: string): Promise<State> {
  if (fragment.length > MAX_FRAGMENT) throw new LinkError("The link is longer than any that this page makes.");
  const [version, packed] = fragment.split(".");
  if (version !== VERSION || packed === undefined) {
    throw new LinkError(
      /^\d+$/.test(version ?? "") && packed !== undefined
        ? `The link was made by a newer version of this page (${version}).`
        : "The link is damaged: what follows the '#' was not made by this page.",
    );
  }
  try {
    const bytes = await through(bytesOf(packed), new DecompressionStream("deflate-raw"), MAX_TEXT);
    return stateOf(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError("The link is damaged: a part of it is missing or was changed.");
  }
}

function checked(value: unknown): State {
  const wrong = () => new LinkError("The link is damaged: it does not hold what this page needs.");
  if (typeof value !== "object" || value === null) throw wrong();
  const { f, b, p, c, u, t, s, r, w = null } = value as Record<string, unknown>;
  const isText = (text: unknown): text is string => typeof text === "string";
  if (!isText(f) || !isText(u) || !(b === undefined || isText(b))) throw wrong();
  if (!Array.isArray(c) || !c.every(isText)) throw wrong();
  const askers = c.map(parsedAsker);
  const profile = PROFILE_NAMES.find((name) => name === p);
  const tab = TABS.find((name) => name === t);
  if (!profile || !tab || !askers.every((asker) => asker !== null)) throw wrong();
  const isPair = Array.isArray(s) && s.length === 2 && s.every((part) => Number.isSafeInteger(part) && part >= 0);
  if (s !== undefined && !isPair) throw wrong();
  const shown = isPair ? { asker: s[0] as number, url: s[1] as number } : null;
  const rights = r === undefined ? null : givenRights(r);
  if (rights === undefined || !areWishes(w)) throw wrong();
  return { file: f, before: b ?? null, profile, askers: askers as Asker[], urls: u, tab, shown, rights, wishes: w };
}

function areWishes(value: unknown): value is GivenWishes | null {
  return value === null || (typeof value === "object" && Object.values(value).every((one) => typeof one === "string"));
}

/** `undefined`: they are none. */
function givenRights(value: unknown): GivenRights | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { headers, html, reading: name, url, crawler } = value as Record<string, unknown>;
  const reading = READING_NAMES.find((reading) => reading === name);
  const areTexts = [headers, html, url, crawler].every((text) => typeof text === "string");
  if (!areTexts || !reading || parsedAsker(crawler as string) === null) return undefined;
  return { headers: headers as string, html: html as string, reading, url: url as string, crawler: crawler as string };
}

/** Where a link works, if not everywhere: a sentence and a space. */
export function whereItWorks(hostname: string): string {
  const isThisMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return isThisMachine ? "It works on this machine only, because the page is served from it. " : "";
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: GenericTransformStream, limit: number) {
  const reader: ReadableStreamDefaultReader<Uint8Array> = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
    if (length > limit) {
      await reader.cancel();
      throw new LinkError("The link holds more than 4 MiB, more than any that this page makes.");
    }
  }
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function base64url(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]*$/.test(text)) throw new LinkError("The link is damaged: it has characters that no link of this page has.");
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}
