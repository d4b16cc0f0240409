/** Who may read what, by purpose. */

import type { App, Change, View } from "../app.js";
import { fill, h } from "../dom.js";
import { PURPOSE_TITLES, type Purpose } from "../engine/known.js";
import { counts, ofPurpose, purposesOf, type ReachTable, rows } from "../engine/reach.js";
import { count, shown } from "../engine/shown.js";
import { Fresh } from "../fresh.js";
import { crawlers, notes, reads, summary } from "../engine/words.js";

const REACH_NAMES = { nothing: "shut out", partly: "partly", unproven: "not proven", everything: "let in" } as const;

export class CrawlersView implements View {
  private isStale = true;
  private readonly content = h("div", { class: "reach" });
  private readonly fresh = new Fresh(this.content);

  constructor(private readonly app: App, panel: HTMLElement) {
    fill(panel,
      h("div", { class: "section-head" }, h("h3", {}, "Who may read what")),
      h("p", { class: "hint" }, `${count(app.known.crawlers.length, "known crawler")}, by what they read for. Each “all but” and “nothing but” is found by comparing automata, not by trying paths.`),
      this.content);
  }

  outdated(): void {
    this.fresh.outdated();
  }

  update(changes: ReadonlySet<Change>): void {
    if (changes.has("file") || changes.has("profile")) {
      this.isStale = true;
      this.fresh.outdated();
    }
    if (this.app.tab === "crawlers" && this.isStale) void this.judge();
  }

  private async judge(): Promise<void> {
    this.isStale = false;
    const reply = await this.app.ask("crawlers", {});
    if (!reply || !("answer" in reply)) this.isStale = true;
    else this.draw(reply.answer);
  }

  private draw(table: ReachTable): void {
    const open = new Set([...this.content.querySelectorAll<HTMLDetailsElement>("details[open]")].map((details) => details.dataset.purpose));
    this.fresh.answered();
    const isFirst = this.content.childElementCount === 0;
    const purposes = purposesOf(table);
    const pages = h("div", { class: "pages" },
      h("p", {}, table.pages.length === 1 ? "The page asked about:" : "Pages that tell crawlers apart, one for each column of verdicts:"),
      h("ol", {}, table.pages.map((page) => h("li", {}, h("code", {}, shown(page))))));
    fill(this.content,
      pages,
      purposes.map((purpose, index) => this.purpose(table, purpose, isFirst ? index < 2 : open.has(purpose))),
      notes(table.crawlers.map((crawler) => crawler.known)).map((note) => h("p", { class: "hint" }, `Note: ${note}.`)));
  }

  private purpose(table: ReachTable, purpose: Purpose, isOpen: boolean): HTMLElement {
    const of = counts(table, purpose);
    const all = ofPurpose(table, purpose).length;
    // A drawing of what the sentence says.
    const bar = h("span", { "class": "bar", "aria-hidden": "true" },
      (["nothing", "partly", "unproven", "everything"] as const).map((reach) => {
        if (of[reach] === 0) return null;
        const part = h("span", { class: `bar-part bar-${reach}`, title: `${of[reach]} ${REACH_NAMES[reach]}` });
        part.style.flexGrow = String(of[reach]);
        return part;
      }));
    return h("details", { "class": "purpose", "open": isOpen, "data-purpose": purpose },
      h("summary", {}, h("span", { class: "purpose-title" }, PURPOSE_TITLES[purpose]), bar, h("span", { class: "purpose-summary" }, summary(table, purpose))),
      h("ul", {}, rows(table, purpose).map(({ class: row, crawlers: of }) =>
        h("li", { class: `reach-row reach-${row.reach}` },
          h("span", { class: "page-verdicts" }, row.verdicts.map((allowed, page) =>
            h("span", { class: `verdict-text verdict-text-${allowed ? "allow" : "disallow"}`, title: shown(table.pages[page]!) },
              table.pages.length > 1 && h("span", { class: "page-number" }, `${page + 1}.`),
              h("span", { "aria-hidden": "true", "class": "glyph" }, allowed ? "✓" : "✕"), allowed ? "allow" : "disallow"))),
          h("span", { class: "reads" }, reads(row)),
          h("span", { class: "who" }, crawlers(of, all).join(", "))))));
  }
}
