/** What lint found: the list, the strip below the editor, the tooltips. */

import type { Finding, Fix } from "robotsieve";
import type { App, Change, View } from "../app.js";
import { fill, h } from "../dom.js";
import type { FindingsOverview } from "../engine/answers.js";
import { FINDINGS_PAGE, SEVERITIES } from "../engine/limits.js";
import { count, sentence, shown } from "../engine/shown.js";
import { Fresh } from "../fresh.js";
import { lintPage } from "../project.js";

type Severity = (typeof SEVERITIES)[number];

const PLURAL: Record<Severity, string> = { error: "errors", warning: "warnings", note: "notes" };

const OUTDATED = "The file has changed since this was found. It is being looked at again.";

/** How many findings the strip shows. */
const STRIP = 3;

export class FindingsView implements View {
  private overview: FindingsOverview | null = null;
  /** The editor's version that it is about. */
  private version = -1;
  private page = 0;
  private severity: Severity | "all" = "all";
  private readonly texts = new Map<number, Finding>();
  private isStopped = false;
  /** The editor's version after the newest fix: only then it is what Undo undoes. */
  private fixedVersion = -1;

  private readonly summary = h("p", { class: "summary", role: "status" });
  private readonly filters = h("select", { id: "severity" });
  private readonly fixAll = h("button", { type: "button", onclick: () => void this.applyAll() }, "Apply all fixes that change no verdict and no pace");
  private readonly list = h("ol", { class: "findings" });
  private readonly more = h("p", { class: "hint" });
  private readonly pager = h("div", { class: "pager" });
  /** What a fix did: in the list, and below the editor. */
  private readonly fixed = h("p", { class: "fixed row", role: "status", tabindex: "-1" });
  private readonly fixedStrip = h("p", { class: "fixed row", role: "status", tabindex: "-1" });
  private readonly stripContent = h("div", { class: "strip-content" });
  private readonly heading = h("h3", { tabindex: "-1" }, "Findings");
  private readonly fresh: Fresh;

  constructor(private readonly app: App, panel: HTMLElement, private readonly strip: HTMLElement, private readonly badge: HTMLElement) {
    this.fresh = new Fresh(this.stripContent, this.summary, this.list);
    fill(strip, this.fixedStrip, this.stripContent);
    fill(this.filters, (["all", "error", "warning", "note"] as const).map((severity) =>
      h("option", { value: severity }, severity === "all" ? "all findings" : PLURAL[severity])));
    this.filters.addEventListener("change", () => {
      this.severity = this.filters.value as Severity | "all";
      this.page = 0;
      void this.drawList();
    });
    fill(panel,
      h("div", { class: "section-head" },
        this.heading,
        h("div", { class: "row filter" }, h("label", { class: "inline", for: "severity" }, "Show"), this.filters, this.fixAll)),
      this.fixed, this.summary, this.list, this.more, this.pager);
  }

  update(changes: ReadonlySet<Change>): void {
    if (changes.has("file") || changes.has("profile")) void this.lint();
    else if (changes.has("tab") && this.isStopped) void this.lint();
  }

  /** The text changed: what is known is about the old one. */
  outdated(): void {
    if (this.version === this.app.editor.version) return;
    this.fresh.outdated();
    if (this.fixedVersion !== this.app.editor.version) this.sayFixed(null, "");
    this.strip.classList.add("stale");
    this.list.classList.add("stale");
  }

  private async lint(): Promise<void> {
    // Not the editor's version: it may be ahead.
    const version = this.app.fileVersion;
    this.fresh.outdated();
    const reply = await this.app.ask("lint", {});
    if (version !== this.app.editor.version) return;
    if (!reply || !("answer" in reply)) {
      this.isStopped = true;
      return;
    }
    this.isStopped = false;
    this.overview = reply.answer;
    this.version = version;
    this.texts.clear();
    reply.answer.first.forEach((finding, number) => this.texts.set(number, finding));
    this.app.editor.setFindings(reply.answer);
    this.fresh.answered();
    this.strip.classList.remove("stale");
    this.list.classList.remove("stale");
    this.drawSummary();
    void this.drawList();
    void this.drawStrip();
  }

  private isCurrent(): boolean {
    return this.version === this.app.editor.version;
  }

  private counts(): Record<Severity, number> {
    const counts = { note: 0, warning: 0, error: 0 };
    for (const severity of this.overview?.severity ?? []) counts[SEVERITIES[severity]!] += 1;
    return counts;
  }

  private drawSummary(): void {
    const of = this.overview!;
    const counts = this.counts();
    const worst = counts.error > 0 ? "error" : counts.warning > 0 ? "warning" : "note";
    this.badge.textContent = of.count > 0 ? String(of.count) : "";
    this.badge.className = `badge badge-${worst}`;
    this.summary.textContent = of.sentences.map(sentence).join(" ");
    // A disabled or hidden button would lose the focus.
    this.fixAll.setAttribute("aria-disabled", String(of.unchangingFixes === 0));
    this.fixAll.hidden = of.count === 0 && document.activeElement !== this.fixAll;
  }

  /** The findings with these numbers, as far as they are still about the text. */
  private async details(numbers: readonly number[]): Promise<Finding[]> {
    const missing = numbers.filter((number) => !this.texts.has(number));
    if (missing.length > 0) {
      const { version } = this;
      const reply = await this.app.ask("findings", { numbers: missing });
      if (!reply || !("answer" in reply) || version !== this.version) return [];
      missing.forEach((number, index) => {
        const finding = reply.answer[index];
        if (finding) this.texts.set(number, finding);
      });
    }
    return numbers.flatMap((number) => this.texts.get(number) ?? []);
  }

  private async drawList(): Promise<void> {
    const of = this.overview;
    if (!of) return;
    const wanted: number[] = [];
    of.severity.forEach((severity, number) => {
      if (this.severity === "all" || SEVERITIES[severity] === this.severity) wanted.push(number);
    });
    const pages = Math.max(1, Math.ceil(wanted.length / FINDINGS_PAGE));
    this.page = Math.min(this.page, pages - 1);
    const first = this.page * FINDINGS_PAGE;
    const numbers = wanted.slice(first, first + FINDINGS_PAGE);
    const findings = await this.details(numbers);
    if (of !== this.overview) return;
    const focused = [...this.list.children].findIndex((item) => item.contains(document.activeElement));
    if (findings.length === 0) {
      const none = of.count === 0 ? "Lint found nothing wrong with this file." : "No finding of this kind.";
      fill(this.list, h("li", { class: "empty" }, none));
    } else {
      fill(this.list, findings.map((finding) => h("li", {}, this.card(finding, true))));
    }
    if (focused >= 0) {
      // What took the place of the finding that was there.
      const item = this.list.children[Math.min(focused, this.list.childElementCount - 1)];
      (item?.querySelector<HTMLElement>("button.apply") ?? item?.querySelector<HTMLElement>("button") ?? this.heading).focus();
    }
    const go = (page: number) => () => {
      this.page = page;
      void this.drawList();
      this.summary.scrollIntoView({ block: "nearest" });
    };
    fill(this.pager, pages > 1 && [
      h("button", { type: "button", disabled: this.page === 0, onclick: go(this.page - 1) }, "Previous"),
      h("span", {}, `${first + 1}–${first + numbers.length} of ${wanted.length.toLocaleString("en")}`),
      h("button", { type: "button", disabled: this.page === pages - 1, onclick: go(this.page + 1) }, "Next"),
    ]);
  }

  private card(finding: Finding, isInList: boolean): HTMLElement {
    const { severity, fix, line } = finding;
    const go = (to: number, text = `line ${to}`) => h("button", { type: "button", class: "go", onclick: () => this.app.editor.goToLine(to) }, text);
    return h("article", { class: `finding-card finding-card-${severity}` },
      h("p", { class: "finding-head" },
        h("span", { class: `severity severity-${severity}` },
          h("span", { "aria-hidden": "true", "class": "glyph" }, { error: "×", warning: "!", note: "i" }[severity]), severity),
        " ", go(line), " ",
        h("a", { class: "code", title: finding.title, href: lintPage(finding.name), target: "_blank", rel: "noopener noreferrer" },
          `${finding.code} ${finding.name}`)),
      h("p", { class: "finding-message" }, sentence(finding.message)),
      isInList && finding.related.length > 0 && h("ul", { class: "related" }, finding.related.slice(0, 5).map((related) =>
        h("li", {}, go(related.line), related.message && ` ${shown(related.message)}`))),
      finding.help !== null && h("p", { class: "help" }, sentence(`help: ${finding.help}`)),
      fix && h("p", { class: "fix" },
        h("button", { type: "button", class: "apply", onclick: () => this.apply(finding, fix, isInList) }, `Fix: ${shown(fix.what)}`),
        h("span", { class: "effect" }, sentence(`this ${fix.effect}`))));
  }

  private apply(finding: Finding, fix: Fix, isInList: boolean): void {
    if (!this.isCurrent()) {
      this.app.announce(OUTDATED);
      return;
    }
    this.app.editor.change(fix.file_span, fix.replacement);
    this.sayFixed(isInList ? this.fixed : this.fixedStrip, `Fixed on line ${finding.line}: ${shown(fix.what)}.`, () => this.app.editor.undo());
    // The button goes with its finding; that of a tooltip too.
    if (!isInList) this.fixedStrip.querySelector("button")?.focus();
  }

  /** Says what a fix did, at one of the two places. `null`: nothing. */
  private sayFixed(place: HTMLElement | null, text: string, undo?: () => void): void {
    this.fixedVersion = this.app.editor.version;
    for (const other of [this.fixed, this.fixedStrip]) if (other !== place) fill(other);
    if (!place) return;
    const back = () => {
      undo!();
      this.sayFixed(place, "The fix was undone.");
      place.focus();
    };
    fill(place, h("span", {}, text), undo && h("button", { type: "button", onclick: back }, "Undo"));
  }

  private async applyAll(): Promise<void> {
    if (this.fixAll.getAttribute("aria-disabled") === "true") return;
    if (!this.isCurrent()) {
      this.app.announce(OUTDATED);
      return;
    }
    const { version } = this;
    const reply = await this.app.ask("fixed", {});
    if (!reply || !("answer" in reply) || version !== this.app.editor.version) return;
    this.app.editor.changeText(reply.answer.text);
    this.sayFixed(this.fixed, `${count(reply.answer.applied, "fix", "fixes")} applied.`, () => this.app.editor.undo());
  }

  /** Below the editor: what was found on the line of the cursor. */
  async drawStrip(): Promise<void> {
    if (!this.overview || !this.isCurrent()) return;
    const numbers = this.app.editor.findingsAtCursor();
    const findings = await this.details(numbers.slice(0, STRIP));
    if (!this.isCurrent()) return;
    const more = numbers.length - findings.length;
    const { line } = this.app.editor.cursor;
    fill(this.stripContent,
      findings.length === 0
        ? h("p", { class: "hint" }, `Line ${line}: no finding.`)
        : [findings.map((finding) => this.card(finding, false)), more > 0 && h("p", { class: "hint" }, `${more} more on this line: see Findings.`)]);
  }

  async tooltip(numbers: number[]): Promise<HTMLElement | null> {
    if (!this.isCurrent()) return null;
    const findings = await this.details(numbers.slice(0, STRIP));
    if (findings.length === 0 || !this.isCurrent()) return null;
    return h("div", { class: "finding-tooltip" }, findings.map((finding) => this.card(finding, false)));
  }
}
