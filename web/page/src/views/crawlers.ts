/** Who may read what, by purpose. */

import type { ReachPurpose, ReachReport } from "robotsieve";
import type { App, Change, View } from "../app.js";
import { fill, h } from "../dom.js";
import { knownCrawlers } from "../engine/asker.js";
import { count, shown } from "../engine/shown.js";
import { Fresh } from "../fresh.js";

export class CrawlersView implements View {
  private isStale = true;
  private readonly content = h("div", { class: "reach" });
  private readonly fresh = new Fresh(this.content);

  constructor(private readonly app: App, panel: HTMLElement) {
    fill(panel,
      h("div", { class: "section-head" }, h("h3", {}, "Who may read what")),
      h("p", { class: "hint" }, `${count(knownCrawlers().length, "known crawler")}, by what they read for. Each “all but” and “nothing but” is found by comparing automata, not by trying paths.`),
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

  private draw(report: ReachReport): void {
    const open = new Set([...this.content.querySelectorAll<HTMLDetailsElement>("details[open]")].map((details) => details.dataset.purpose));
    this.fresh.answered();
    const isFirst = this.content.childElementCount === 0;
    const pages = h("div", { class: "pages" },
      h("p", {}, report.pages.length === 1 ? "The page asked about:" : "Pages that tell crawlers apart, one for each column of verdicts:"),
      h("ol", {}, report.pages.map((page) => h("li", {}, h("code", {}, shown(page))))));
    fill(this.content,
      pages,
      report.purposes.map((of, index) => this.purpose(report, of, isFirst ? index < 2 : open.has(of.purpose))),
      report.notes.map((note) => h("p", { class: "hint" }, `Note: ${note}.`)));
  }

  private purpose(report: ReachReport, of: ReachPurpose, isOpen: boolean): HTMLElement {
    const row = ({ policy, who }: ReachPurpose["rows"][number]) => {
      const { reads, text, verdicts } = report.policies[policy]!;
      return h("li", { class: `reach-row reach-${reads}` },
        h("span", { class: "page-verdicts" }, verdicts.map((verdict, page) =>
          h("span", { class: `verdict-text verdict-text-${verdict}`, title: shown(report.pages[page]!) },
            verdicts.length > 1 && h("span", { class: "page-number" }, `${page + 1}.`),
            h("span", { "aria-hidden": "true", "class": "glyph" }, verdict === "allow" ? "✓" : "✕"), verdict))),
        h("span", { class: "reads" }, text),
        h("span", { class: "who" }, who.join(", ")));
    };
    return h("details", { "class": "purpose", "open": isOpen, "data-purpose": of.purpose },
      h("summary", {}, h("span", { class: "purpose-title" }, of.title), h("span", { class: "purpose-summary" }, of.summary)),
      h("ul", {}, of.rows.map(row)));
  }
}
