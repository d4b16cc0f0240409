/** Shutting crawlers out of the file. */

import type { App } from "./app.js";
import { byId, fill, h } from "./dom.js";
import type { Blocked } from "./engine/answers.js";
import { knownCrawlers, purposes } from "./engine/asker.js";
import { sentence, shown } from "./engine/shown.js";

const TRAINING = "AI training";

/** What is blocked: a purpose by its title or name, or else crawlers, separated by commas. */
function chosen(text: string): { what: string; whom: string; ask: Blocked } {
  const typed = text.trim() || TRAINING;
  const is = (name: string) => name.toLowerCase() === typed.toLowerCase();
  const purpose = purposes().find(({ purpose, title }) => is(purpose) || is(title));
  if (purpose) {
    const whom = `the known crawlers for ${purpose.title} that the file does not let in by name`;
    return { what: purpose.title, whom, ask: { purposes: [purpose.purpose] } };
  }
  const crawlers = typed.split(",").map((name) => name.trim()).filter((name) => name !== "");
  return { what: crawlers.join(", "), whom: crawlers.join(" and "), ask: { crawlers } };
}

/** The button says what it blocks. `settled` is called before that: then the editor's text is the one that the workers have. */
export function blocking(app: App, settled: () => void): void {
  const [button, input] = [byId("block"), byId<HTMLInputElement>("block-what")];
  fill(byId("block-choices"), purposes().map(({ title }) => h("option", { value: title })),
    knownCrawlers().map(({ token }) => h("option", { value: token })));
  const block = () => {
    settled();
    void shutOut(app, input.value);
  };
  input.addEventListener("input", () => {
    button.textContent = `Block ${shown(chosen(input.value).what)}`;
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") block();
  });
  button.addEventListener("click", block);
}

async function shutOut(app: App, typed: string): Promise<void> {
  const { editor, file } = app;
  const { version } = editor;
  const { whom, ask } = chosen(typed);
  const reply = await app.ask("block", ask);
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
  said.unshift(sentence(`by RFC 9309 ${whom} may read nothing now, and for all others nothing changes: this is proven`));
  const changed = editor.version;
  app.say(said.join(" "), "note", { undo: () => editor.undo(), holds: () => editor.version === changed });
}
