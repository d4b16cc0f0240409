/** Files that the reader opens or drops. */

import type { App } from "./app.js";
import { count } from "./engine/shown.js";

/** No profile that has a limit reads more than 500 KiB. */
const MAX_BYTES = 8 << 20;

/** The text of a file, or `null` if it is too large; says what was changed. */
export async function readFile(file: File, app: App): Promise<string | null> {
  if (file.size > MAX_BYTES) {
    app.say(`${file.name} is larger than 8 MiB. Crawlers read 500 KiB of a robots.txt; the command line reads any size. The editor still has what it had before.`, "error");
    return null;
  }
  const { text, replaced } = decoded(new Uint8Array(await file.arrayBuffer()));
  if (replaced > 0) {
    app.say(
      `${file.name} is not all UTF-8: ${count(replaced, "part was", "parts were")} replaced by �. The verdicts are about the text ` +
        "as it stands here; the command line judges the bytes.",
      "note",
    );
  }
  return text;
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
