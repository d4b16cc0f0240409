/** Files that come into the page and leave it. */

import type { App } from "./app.js";
import { h } from "./dom.js";
import type { Editor } from "./editor.js";
import { count, sentence, shown } from "./engine/shown.js";

/** No profile that has a limit reads more than 500 KiB. */
const MAX_BYTES = 8 << 20;

/** A file as text, and what was changed to make it that. */
export interface Opened {
  text: string;
  note: string | null;
}

/** Puts a file that is opened or dropped into an editor. Returns false if it is too large. */
export async function openFile(file: File, editor: Editor, app: App): Promise<boolean> {
  if (file.size > MAX_BYTES) {
    app.say(`${shown(file.name)} is larger than 8 MiB. Crawlers read 500 KiB of a robots.txt; the command line reads any size. The editor still has what it had before.`, "error");
    return false;
  }
  const opened = await opening(file.name, new Uint8Array(await file.arrayBuffer()), app);
  editor.setText(opened.text);
  sayOpened(opened, editor, app);
  return true;
}

/** Says what was changed, until the file is. */
export function sayOpened({ note }: Opened, editor: Editor, app: App): void {
  const { version } = editor;
  if (note !== null) app.say(note, "note", { holds: () => editor.version === version });
}

/** What a file is as text. */
export async function opening(name: string, bytes: Uint8Array, app: App): Promise<Opened> {
  const order = byteOrder(bytes);
  const reply = order && (await app.ask("utf16", { bytes }));
  if (order && reply && "answer" in reply && reply.answer !== null) {
    const text = new TextDecoder(order).decode(bytes);
    return { text, note: `${shown(name)}: ${sentence(reply.answer)} The answers here are about its text in UTF-8, as Save writes it.` };
  }
  const { text, replaced } = decoded(bytes);
  if (replaced === 0) return { text, note: null };
  return {
    text, note: `${shown(name)} is not all UTF-8: ${count(replaced, "part was", "parts were")} replaced by �. The verdicts are about the text ` +
      "as it stands here; the command line judges the bytes.",
  };
}

/** The order of the bytes if a file may be UTF-16, which the engine decides. `null`: it is none. */
export function byteOrder(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  const [first, second] = bytes;
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (!bytes.subarray(0, 64).includes(0)) return null;
  return first === 0 ? "utf-16be" : "utf-16le";
}

/** UTF-8 as text, and how much of it is none. A byte order mark stays: profiles read it differently. */
export function decoded(bytes: Uint8Array): { text: string; replaced: number } {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, replaced: 0 };
  } catch {
    return { text, replaced: text.split("\uFFFD").length - 1 };
  }
}

/** Saves the file where the browser saves what it downloads. */
export function saveFile(app: App): void {
  const url = URL.createObjectURL(new Blob([app.editor.text], { type: "text/plain" }));
  h("a", { href: url, download: "robots.txt" }).click();
  // The browser may ask first where to.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export async function copyFile(app: App): Promise<void> {
  try {
    await navigator.clipboard.writeText(app.editor.text);
    app.say("The file is copied.", "note");
  } catch {
    app.say("This browser did not let the page copy the file: use Save.", "error");
  }
}
