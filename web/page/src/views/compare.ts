/** What changes from another file to this one. */

import type { CrawlerDiff, DecidingRule, Diff, Flip, RecordDiff } from "robotsieve";
import type { App, Change, View } from "../app.js";
import { fill, h } from "../dom.js";
import { count, shown } from "../engine/shown.js";
import { diffName, extent, WHOLE_SITE } from "../engine/words.js";
import { Editor } from "../editor.js";
import { exampleBefore, isVersionOf } from "../examples.js";
import { readFile } from "../files.js";
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
      if (file) void readFile(file, app).then((text) => text !== null && this.editor.setText(text));
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

  private take(): void {
    this.app.before = { id: this.app.before.id + 1, text: this.editor.text };
    this.app.changed("before");
  }

  /** Puts a state of the page here. */
  load(text: string): void {
    this.editor.setText(text);
    clearTimeout(this.timer);
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
    this.draw(reply.answer, before.text === file.text);
  }

  private draw(diff: Diff, isSameText: boolean): void {
    this.fresh.answered();
    const changed = diff.crawlers.filter((same) => same.result !== "equal");
    const equal = diff.crawlers.filter((same) => same.result === "equal").flatMap((same) => same.crawlers);
    this.summary.textContent = summary(diff, isSameText);
    // The severest first, as the command has it.
    const place = (same: CrawlerDiff) => (same.wholeSite === null ? 1 : 0);
    changed.sort((a, b) => place(a) - place(b));
    fill(this.result,
      changed.map((same) => this.crawlers(same)),
      diff.records.length > 0 && h("section", { class: "diff-card" }, h("h4", {}, "Other records"), diff.records.map((change) => this.records(change))),
      changed.length > 0 && equal.length > 0 && h("p", { class: "hint" }, "Nothing changes for ", names(equal), ". That is proven."));
  }

  private crawlers(same: CrawlerDiff): HTMLElement {
    const whole = same.wholeSite;
    const flips = (title: string, kind: "closed" | "opened", of: Flip[], more: number) =>
      (of.length > 0 || more > 0) && h("div", { class: `flips flips-${kind}` },
        h("h5", {}, h("span", { "aria-hidden": "true", "class": "glyph" }, kind === "closed" ? "✕" : "✓"), title),
        h("ul", {}, of.map((flip) => this.flip(flip))),
        more > 0 && h("p", { class: "hint" }, `More, by at least ${count(more, "other pair")} of rules.`));
    const unproven = same.unproven === null ? null
      : same.result === "unknown"
        ? `None of the paths tried flips, but others may (${same.unproven}).`
        : `Other paths may flip, also shorter ones (${same.unproven}).`;
    const { unexamined } = same;
    return h("section", { class: "diff-card" },
      h("h4", {}, names(same.crawlers)),
      whole && h("p", { class: `whole whole-${whole}` }, `${WHOLE_SITE[whole].charAt(0).toUpperCase()}${WHOLE_SITE[whole].slice(1)}.`),
      flips("Closes: allowed before, disallowed now", "closed", same.closed, same.moreClosed),
      flips("Opens: disallowed before, allowed now", "opened", same.opened, same.moreOpened),
      unexamined > 0 && h("p", { class: "hint warn" }, `${count(unexamined, "more rule")} may flip paths: there was no budget to find out.`),
      unproven && h("p", { class: "hint warn" }, unproven));
  }

  private flip(flip: Flip): HTMLElement {
    return h("li", {},
      h("code", { class: "path" }, extent(flip)),
      flip.isShortest && h("span", { class: "tag" }, "shortest"),
      h("span", { class: "rules" }, this.rule(flip.before, this.editor, "before"), " → ", this.rule(flip.after, this.app.editor, "now")));
  }

  private rule(rule: DecidingRule | null, editor: Editor, when: string): HTMLElement {
    if (!rule) return h("span", { class: "no-rule" }, "no rule");
    const field = rule.verdict === "allow" ? "Allow" : "Disallow";
    return h("button", {
      type: "button", class: "go", onclick: () => editor.goToLine(rule.line),
    }, `line ${rule.line} `, h("code", {}, `${field}: ${shown(rule.value)}`), h("span", { class: "visually-hidden" }, ` of the file ${when}`));
  }

  private records(change: RecordDiff): HTMLElement {
    const list = (what: string, kind: "removed" | "added", of: RecordDiff["added"], more: number) => [
      of.map((record) => h("li", {}, h("span", { class: `change change-${kind}` }, what), ` line ${record.line} `,
        h("code", {}, `${shown(record.field)}: ${shown(record.value)}`))),
      more > 0 && h("li", {}, h("span", { class: `change change-${kind}` }, what), ` ${more} more ${change.kind}`),
    ];
    return h("div", {},
      h("h5", {}, change.crawlers ? ["For ", names(change.crawlers)] : "Of no group"),
      h("ul", { class: "records" }, list("removed", "removed", change.removed, change.moreRemoved), list("added", "added", change.added, change.moreAdded)));
  }
}

function names(crawlers: readonly string[]): (string | HTMLElement)[] {
  const list = (of: readonly string[]) => of.map(diffName).join(", ");
  if (crawlers.length <= NAMES + 1) return [list(crawlers)];
  const rest = crawlers.slice(NAMES);
  const button = h("button", { type: "button", class: "go", onclick: () => button.replaceWith(list(rest)) }, `${rest.length} more`);
  return [`${list(crawlers.slice(0, NAMES))}, `, button];
}

/** The overall result in a sentence. */
export function summary(diff: Diff, isSameText: boolean): string {
  const number = (of: (same: CrawlerDiff) => boolean) =>
    diff.crawlers.filter(of).reduce((sum, same) => sum + same.crawlers.length, 0);
  const [differ, unknown, all] = [number((same) => same.result === "different"), number((same) => same.result === "unknown"), number(() => true)];
  if (isSameText) return "Both files are the same.";
  if (diff.isEqual) return "The text differs, the meaning does not: that is proven for every crawler.";
  const parts = [];
  if (differ > 0) parts.push(`Verdicts change for ${differ} of ${count(all, "crawler")}`);
  else if (unknown === 0) parts.push("No verdict changes");
  if (unknown > 0) parts.push(`for ${unknown} no change was found, but that none is there is not proven`);
  const records = diff.records.reduce((sum, change) => {
    const [removed, added] = [change.removed.length + change.moreRemoved, change.added.length + change.moreAdded];
    return sum + (removed === 1 && added === 1 ? 1 : removed + added);
  }, 0);
  if (records > 0) parts.push(`${count(records, "other record")} ${records === 1 ? "changes" : "change"}`);
  const text = parts.join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
