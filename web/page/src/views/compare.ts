/** What changes from another file to this one. */

import type { CrawlerDiff, DecidingRule, DiffReport, Flip, RecordDiff } from "robotsieve";
import type { App, Change, View } from "../app.js";
import { fill, h } from "../dom.js";
import { sentence, shown } from "../engine/shown.js";
import { Editor } from "../editor.js";
import { exampleBefore, isVersionOf } from "../examples.js";
import { openFile } from "../files.js";
import { Fresh } from "../fresh.js";

/** How many names of crawlers are shown before a click. */
const NAMES = 6;

export class CompareView implements View {
  readonly editor: Editor;
  private readonly result = h("div", { class: "diff" });
  private readonly summary = h("p", { class: "summary", role: "status" });
  private readonly fresh = new Fresh(this.summary, this.result);
  /** Whether it is the older version of an example, as it came. */
  private isExamples = false;
  private isStale = true;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly app: App, panel: HTMLElement, onTyped: () => void) {
    const box = h("div", { class: "editor-box before-editor" });
    const open = h("input", { type: "file", id: "open-before", class: "visually-hidden", accept: ".txt,text/plain" });
    open.addEventListener("change", () => {
      const file = open.files?.[0];
      if (file) void openFile(file, this.editor, app);
      open.value = "";
    });
    fill(panel,
      h("div", { class: "section-head" },
        h("h3", { id: "before-heading" }, "Before"),
        h("div", { class: "row" },
          h("button", { type: "button", onclick: () => this.editor.setText(app.editor.text) }, "Copy from the left"),
          h("label", { class: "button", for: "open-before" }, "Open a file"), open,
          h("button", { type: "button", onclick: () => this.swap() }, "Swap"))),
      h("p", { class: "hint", id: "before-hint" }, "The older file. The file in the left editor is the newer one: change it, and see what opens and what closes."),
      box, this.summary, this.result);
    this.editor = new Editor(box, {
      label: "The older robots.txt", description: "before-hint",
      onChange: () => {
        this.isExamples = false;
        onTyped();
        this.outdated();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.take(), this.editor.length > 100_000 ? 500 : 200);
      },
    });
  }

  outdated(): void {
    this.fresh.outdated();
  }

  settled(): void {
    if (this.timer !== undefined) this.take();
  }

  private take(): void {
    this.cancel();
    this.app.before = { id: this.app.before.id + 1, text: this.editor.text };
    this.app.changed("before");
  }

  private cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Puts a state of the page here. */
  load(text: string): void {
    this.editor.setText(text);
    this.cancel();
    this.app.before = { id: this.app.before.id + 1, text };
    this.isExamples = exampleBefore(text) !== undefined;
  }

  /** An example's older version says nothing about a file of one's own. */
  private dropExample(): void {
    if (!this.isExamples || isVersionOf(this.app.file.text, exampleBefore(this.app.before.text)!.file)) return;
    this.load("");
  }

  private swap(): void {
    const [before, after] = [this.editor.text, this.app.editor.text];
    this.editor.setText(after);
    this.app.editor.setText(before);
  }

  update(changes: ReadonlySet<Change>): void {
    if (changes.has("file")) this.dropExample();
    if (changes.has("file") || changes.has("before") || changes.has("profile")) {
      this.isStale = true;
      this.fresh.outdated();
    }
    if (this.app.tab === "compare" && this.isStale) void this.compare();
  }

  private async compare(): Promise<void> {
    this.isStale = false;
    const { before, file, profile } = this.app;
    if (before.text === "") {
      this.fresh.answered();
      this.summary.textContent = "";
      fill(this.result, h("p", { class: "empty" }, "Put an older version of your file into “Before”: paste it, open it, or copy it from the left before you change that."));
      return;
    }
    const reply = await this.app.ask("diff", {});
    if (!reply) {
      this.isStale = true;
      return;
    }
    if (before !== this.app.before || file !== this.app.file || profile !== this.app.profile || !("answer" in reply)) return;
    this.draw(reply.answer);
  }

  private draw(diff: DiffReport): void {
    this.fresh.answered();
    // The last sentence is the result; the others are about the crawlers below.
    this.summary.textContent = sentence(diff.sentences.at(-1)!.text);
    const changed = diff.crawlers.filter((same) => same.result !== "equal");
    const equal = diff.crawlers.filter((same) => same.result === "equal");
    fill(this.result,
      changed.map((same) => this.crawlers(same)),
      diff.records.length > 0 && h("section", { class: "diff-card" }, h("h4", {}, "Other records"), diff.records.map((change) => this.records(change))),
      changed.length > 0 && equal.length > 0 &&
        h("p", { class: "hint" }, "What does not change: what these may read: ", names(equal.map(({ label }) => label).join(", ")), "."));
  }

  private crawlers(same: CrawlerDiff): HTMLElement {
    const { headline, whole_site, newly_disallowed, newly_allowed, more_disallowed_label, more_allowed_label } = same;
    const flips = (title: string, kind: "closed" | "opened", of: Flip[], more: string | null) =>
      (of.length > 0 || more !== null) && h("div", { class: `flips flips-${kind}` },
        h("h5", {}, h("span", { "aria-hidden": "true", "class": "glyph" }, kind === "closed" ? "✕" : "✓"), title),
        h("ul", {}, of.map((flip) => this.flip(flip))),
        more !== null && h("p", { class: "hint" }, sentence(more)));
    return h("section", { class: "diff-card" },
      h("h4", {}, names(same.label)),
      headline !== null && h("p", { class: whole_site === null ? "whole" : `whole whole-${whole_site}` }, sentence(headline)),
      flips("Closes: allowed before, disallowed now", "closed", newly_disallowed, more_disallowed_label),
      flips("Opens: disallowed before, allowed now", "opened", newly_allowed, more_allowed_label),
      same.notes.map((note) => h("p", { class: "hint warn" }, sentence(note))));
  }

  private flip(flip: Flip): HTMLElement {
    return h("li", {},
      h("code", { class: "path" }, flip.label),
      flip.shortest && h("span", { class: "tag" }, "shortest"),
      h("span", { class: "rules" },
        this.rule(flip.old, flip.old_label, this.editor, "before"), " → ", this.rule(flip.new, flip.new_label, this.app.editor, "now")));
  }

  private rule(rule: DecidingRule | null, label: string, editor: Editor, when: string): HTMLElement {
    if (!rule) return h("span", { class: "no-rule" }, label);
    return h("button", { type: "button", class: "go", onclick: () => editor.goToLine(rule.line) }, shown(label),
      h("span", { class: "visually-hidden" }, ` of the file ${when}`));
  }

  private records(change: RecordDiff): HTMLElement {
    const list = (what: string, kind: "removed" | "added", of: RecordDiff["added"], more: number) => [
      of.map(({ label }) => h("li", {}, h("span", { class: `change change-${kind}` }, what), ` ${shown(label)}`)),
      more > 0 && h("li", {}, h("span", { class: `change change-${kind}` }, what), ` ${more} more ${change.kind}`),
    ];
    return h("div", {},
      h("h5", {}, names(change.label)),
      h("ul", { class: "records" }, list("removed", "removed", change.removed, change.more_removed), list("added", "added", change.added, change.more_added)));
  }
}

/** The names of crawlers: the first of them, and the others after a click. */
function names(label: string): (string | HTMLElement)[] {
  const all = label.split(", ");
  if (all.length <= NAMES + 1) return [shown(label)];
  const rest = all.slice(NAMES);
  const button = h("button", { type: "button", class: "go", onclick: () => button.replaceWith(shown(rest.join(", "))) }, `${rest.length} more`);
  return [`${shown(all.slice(0, NAMES).join(", "))}, `, button];
}
