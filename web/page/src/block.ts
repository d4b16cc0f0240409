/** Shutting crawlers out of the file. */

import type { App } from "./app.js";
import { sentence, shown } from "./engine/shown.js";

/** Shuts the known crawlers for AI training out. The editor's text must be the one that the workers have. */
export async function blockTraining(app: App): Promise<void> {
  const { editor, file } = app;
  const { version } = editor;
  const reply = await app.ask("block", { purpose: "ai-training" });
  if (!reply || version !== editor.version) return;
  if ("problem" in reply) {
    app.say(`Nothing was changed, since ${shown(reply.problem)}.`, "error");
    return;
  }
  const { text, notes } = reply.answer;
  const said = notes.map(sentence);
  if (text === file.text) {
    app.say(said.join(" "), "note");
    return;
  }
  editor.scrollTo(editor.changeText(text), "nearest");
  said.unshift("By RFC 9309 the known crawlers for AI training may read nothing now, and for all others nothing changes: this is proven.");
  const changed = editor.version;
  app.say(said.join(" "), "note", { undo: () => editor.undo(), holds: () => editor.version === changed });
}
