/** Crawlers, URLs, and the table of verdicts. */

import type { Purpose } from "robotsieve";
import type { App, Change, View } from "../app.js";
import { fill, h, pastesAtOnce } from "../dom.js";
import {
  type Asker, askerOf, completed, knownCrawlers, ofPurpose, purposes, titleOf, writtenAsker,
} from "../engine/asker.js";
import type { Column } from "../engine/answers.js";
import { urlsOf } from "../engine/limits.js";
import { count, folded, sentence, shown } from "../engine/shown.js";
import { Fresh } from "../fresh.js";
import { WhyPanel } from "./why.js";

/** So many rows are in the document: thousands would make each key stroke slow. */
const ROWS = 100;

const [DISALLOW, ALLOW, INVALID] = [0, 1, 2];

const FILTERS = {
  all: "all URLs",
  disallowed: "disallowed for some crawler",
  allowed: "allowed for some crawler",
  differ: "where crawlers differ",
  invalid: "invalid",
} as const;

type Filter = keyof typeof FILTERS;

export class UrlsView implements View {
  private columns: Column[] = [];
  /** The askers and URLs that `columns` is about. */
  private asked: { askers: Asker[]; urls: string[] } = { askers: [], urls: [] };
  private rows: number[] = [];
  private page = 0;
  private filter: Filter = "all";
  /** Where the keyboard is: row on the page, and column. */
  private cursor = { row: 0, column: 0 };
  private timer: ReturnType<typeof setTimeout> | undefined;
  readonly why: WhyPanel;

  private readonly chips = h("ul", { "class": "chips", "aria-label": "Crawlers of the table" });
  private readonly problem = h("p", { class: "field-problem", id: "crawler-problem", role: "status" });
  private readonly input = h("input", {
    "id": "crawler", "list": "known-tokens", "autocomplete": "off", "spellcheck": "false", "autocapitalize": "off",
    "placeholder": "GPTBot", "aria-describedby": "crawler-hint crawler-problem",
  });
  private readonly purpose = h("select", { id: "purpose" });
  private readonly urls = h("textarea", {
    "id": "urls", "rows": "6", "spellcheck": "false", "autocapitalize": "off", "wrap": "off",
    "placeholder": "https://example.com/page?id=1\n/path", "aria-describedby": "urls-hint",
  });
  private readonly summary = h("p", { class: "summary", role: "status" });
  private readonly filters = h("select", { id: "filter" });
  private readonly table = h("div", { class: "table-box" });
  private readonly pager = h("div", { class: "pager" });
  private readonly warnings = h("div", { class: "warnings", role: "status" });
  private readonly wider = h("p", { class: "hint", hidden: true }, "The table goes on to the right: scroll it.");
  private readonly fresh = new Fresh(this.summary, this.table);

  constructor(private readonly app: App, panel: HTMLElement) {
    this.why = new WhyPanel(app, (asker) => this.addAsker(asker), (url, other) => this.replaceUrl(url, other));
    new ResizeObserver(() => this.drawWider()).observe(this.table);
    fill(this.purpose, purposes().map(({ purpose, title }) =>
      h("option", { value: purpose }, `${title} (${ofPurpose(purpose).length})`)));
    fill(this.filters, Object.entries(FILTERS).map(([value, text]) => h("option", { value }, text)));
    this.filters.addEventListener("change", () => {
      this.filter = this.filters.value as Filter;
      this.page = 0;
      this.choose();
    });
    this.input.addEventListener("input", () => { this.problem.textContent = ""; });
    this.urls.addEventListener("input", () => this.urlsTyped());
    pastesAtOnce(this.urls, () => this.urlsTyped());
    const add = (event: Event) => {
      event.preventDefault();
      this.addTyped();
    };
    fill(
      panel,
      h("div", { class: "questions" },
        h("form", { class: "field", onsubmit: add },
          h("label", { for: "crawler" }, "Crawlers"),
          h("div", { class: "row" }, this.input, h("button", { type: "submit" }, "Add")),
          h("p", { class: "hint", id: "crawler-hint" }, "A name, several names of one crawler (Googlebot-News, Googlebot), or a whole User-Agent header."),
          this.problem,
          h("div", { class: "row" },
            h("label", { class: "inline", for: "purpose" }, "or all of"), this.purpose,
            h("button", { type: "button", onclick: () => this.addAsker({ kind: "purpose", purpose: this.purpose.value as Purpose }) }, "Add all")),
          this.chips, this.warnings),
        h("div", { class: "field" },
          h("label", { for: "urls" }, "URLs"),
          this.urls,
          h("p", { class: "hint", id: "urls-hint" }, "One a line: whole URLs, or paths that begin with /."))),
      h("div", { class: "answer-columns" },
        h("section", { "class": "verdicts", "aria-labelledby": "verdicts-heading" },
          h("div", { class: "section-head" },
            h("h3", { id: "verdicts-heading" }, "Verdicts"),
            h("div", { class: "row filter" }, h("label", { class: "inline", for: "filter" }, "Show"), this.filters)),
          this.summary, this.wider, this.table, this.pager),
        this.why.element));
    fill(document.getElementById("known-tokens")!, knownCrawlers().map((crawler) =>
      h("option", { value: crawler.token }, `${crawler.name}, ${crawler.operator}`)));
  }

  /** Puts a state of the page here. */
  load(urls: string): void {
    this.urls.value = urls;
    this.app.urls = urlsOf(urls);
    this.page = 0;
    this.cursor = { row: 0, column: 0 };
  }

  get urlsText(): string {
    return this.urls.value;
  }

  outdated(): void {
    this.fresh.outdated();
    this.why.outdated();
  }

  update(changes: ReadonlySet<Change>): void {
    if (changes.has("askers")) {
      this.drawChips();
      this.problem.textContent = "";
    }
    const isAbout = (["file", "profile", "askers", "urls"] as const).some((change) => changes.has(change));
    if (isAbout) {
      this.fresh.outdated();
      void this.judge();
    }
    if (changes.has("file") || changes.has("profile") || (isAbout && changes.has("selected"))) void this.why.ask();
  }

  /** Writes another URL in place of one. */
  private replaceUrl(url: string, other: string): void {
    const { selected } = this.app;
    this.urls.value = this.urls.value.split("\n").map((line) => (line.trim() === url ? other : line)).join("\n");
    this.app.urls = urlsOf(this.urls.value);
    if (selected?.url === url) this.app.selected = { asker: selected.asker, url: other };
    this.app.changed("urls", "selected");
  }

  private drawWider(): void {
    this.wider.hidden = this.table.scrollWidth <= this.table.clientWidth + 1;
  }

  private urlsTyped(): void {
    this.fresh.outdated();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.take(), 200);
  }

  settled(): void {
    if (this.timer !== undefined) this.take();
  }

  private take(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.app.urls = urlsOf(this.urls.value);
    this.page = 0;
    this.app.changed("urls");
  }

  private addTyped(): void {
    const typed = askerOf(this.input.value);
    if (!typed) {
      this.problem.textContent = "Type the name of a crawler, or choose one from the list.";
      return;
    }
    const asker = completed(typed);
    if (!this.addAsker(asker)) return;
    this.input.value = "";
    if (asker.kind === "known") {
      const [first, ...others] = asker.names;
      this.problem.textContent = `${first} obeys the groups of ${others.join(", then ")} if none names it, so they are added.`;
    }
  }

  /** Adds a column, if there is none like it. */
  addAsker(asker: Asker): boolean {
    const { app } = this;
    if (app.askers.some((other) => writtenAsker(other).toLowerCase() === writtenAsker(asker).toLowerCase())) {
      this.problem.textContent = `${titleOf(asker)} is in the table already.`;
      return false;
    }
    app.askers = [...app.askers, asker];
    app.changed("askers");
    return true;
  }

  private drawChips(): void {
    const { app } = this;
    const remove = (asker: Asker, index: number) => () => {
      app.askers = app.askers.filter((other) => other !== asker);
      app.changed("askers");
      app.announce(`${titleOf(asker)} was removed.`);
      // The focus goes to the next chip, or to the field: never to nowhere.
      const buttons = this.chips.querySelectorAll("button");
      (buttons[Math.min(index, buttons.length - 1)] ?? this.input).focus();
    };
    fill(this.chips, app.askers.map((asker, index) =>
      h("li", { class: `chip chip-${asker.kind}` },
        h("span", { class: "chip-text", title: titleOf(asker) }, titleOf(asker)),
        h("button", { "type": "button", "aria-label": `Remove ${titleOf(asker)}`, "onclick": remove(asker, index) }, "×"))));
  }

  private async judge(): Promise<void> {
    const { askers, urls } = this.app;
    if (askers.length === 0 || urls.length === 0) {
      this.columns = [];
      this.asked = { askers, urls };
      this.choose();
      return;
    }
    const reply = await this.app.ask("table", { askers, urls });
    if (!reply || !("answer" in reply) || askers !== this.app.askers || urls !== this.app.urls) return;
    this.columns = reply.answer;
    this.asked = { askers, urls };
    this.choose();
  }

  /** Which rows the filter lets through. */
  private choose(): void {
    const { urls } = this.asked;
    const state = (column: Column, url: number): { allowed: boolean; disallowed: boolean; invalid: boolean } => {
      if (column.kind === "error") return { allowed: false, disallowed: false, invalid: false };
      if (column.kind === "crawler") {
        const verdict = column.verdicts[url];
        return { allowed: verdict === ALLOW, disallowed: verdict === DISALLOW, invalid: verdict === INVALID };
      }
      const invalid = column.invalid[url] === 1;
      const disallowed = column.disallowed[url]!;
      return { allowed: !invalid && disallowed < column.members.length, disallowed: disallowed > 0, invalid };
    };
    this.rows = [];
    for (let url = 0; url < urls.length; url++) {
      const states = this.columns.map((column) => state(column, url));
      const some = (of: "allowed" | "disallowed" | "invalid") => states.some((state) => state[of]);
      const isShown = {
        all: true,
        allowed: some("allowed"),
        disallowed: some("disallowed"),
        differ: some("allowed") && some("disallowed"),
        invalid: some("invalid"),
      }[this.filter];
      if (isShown) this.rows.push(url);
    }
    this.page = Math.min(this.page, Math.max(0, Math.ceil(this.rows.length / ROWS) - 1));
    this.draw();
  }

  private draw(): void {
    const hadFocus = this.table.contains(document.activeElement);
    this.fresh.answered();
    this.summary.textContent = this.summed();
    fill(this.warnings, this.columns.flatMap((column) =>
      column.kind === "crawler" && column.warning !== null ? [h("p", { class: "field-problem" }, sentence(column.warning))] : []));
    this.drawTable(hadFocus);
    this.drawWider();
  }

  private drawTable(hadFocus: boolean): void {
    const { askers, urls } = this.asked;
    this.filters.disabled = this.columns.length === 0;
    if (this.columns.length === 0) {
      const missing = askers.length === 0 ? "Add a crawler" : "Write a URL";
      const both = askers.length === 0 && urls.length === 0 ? "Add a crawler and write a URL" : missing;
      fill(this.table, h("p", { class: "empty" }, `${both} above to see a verdict.`));
      fill(this.pager);
      return;
    }
    const first = this.page * ROWS;
    const shownRows = this.rows.slice(first, first + ROWS);
    if (shownRows.length === 0) {
      fill(this.table, h("p", { class: "empty" }, `No URL is ${FILTERS[this.filter].replace("where crawlers differ", "judged differently by these crawlers' rules")}.`));
      fill(this.pager);
      return;
    }
    this.cursor.row = Math.min(this.cursor.row, shownRows.length - 1);
    this.cursor.column = Math.min(this.cursor.column, askers.length - 1);
    const site = commonSite(urls);
    const head = h("tr", { "role": "row", "aria-rowindex": "1" },
      h("th", { role: "columnheader", scope: "col" }, "URL", site !== "" && h("span", { class: "column-note" }, `on ${shown(site)}`)),
      askers.map((asker, column) => h("th", { role: "columnheader", scope: "col" }, this.head(asker, this.columns[column]!))));
    const body = shownRows.map((url, row) =>
      h("tr", { "role": "row", "aria-rowindex": String(first + row + 2) },
        h("th", { role: "rowheader", scope: "row", title: folded(urls[url]!) }, shown(pathOn(site, urls[url]!).slice(0, 300))),
        askers.map((asker, column) => this.cell(asker, this.columns[column]!, url, row, column))));
    const table = h("table", {
      "role": "grid", "aria-labelledby": "verdicts-heading", "aria-rowcount": String(this.rows.length + 1),
      "aria-colcount": String(askers.length + 1),
      "onkeydown": (event: KeyboardEvent) => this.key(event, shownRows.length, askers.length),
    }, h("thead", { role: "rowgroup" }, head), h("tbody", { role: "rowgroup" }, body));
    fill(this.table, table);
    this.drawPager(first, shownRows.length);
    if (hadFocus) this.focusCell();
  }

  private head(asker: Asker, column: Column) {
    const title = h("span", { class: "column-title", title: titleOf(asker) }, titleOf(asker));
    if (column.kind === "purpose") return [title, h("span", { class: "column-note" }, count(column.members.length, "crawler"))];
    if (column.kind === "error") return [title, h("span", { class: "column-note" }, "no crawler")];
    const note = column.group ? `group: line ${column.group.line}` : "no group";
    return [title, h("span", { class: "column-note" }, note)];
  }

  private cell(asker: Asker, column: Column, url: number, row: number, index: number): HTMLElement {
    const text = this.asked.urls[url]!;
    const selected = this.app.selected;
    const isShown = selected?.url === text && writtenAsker(selected.asker) === writtenAsker(asker);
    const isCursor = row === this.cursor.row && index === this.cursor.column;
    const [kind, words] = verdictWords(column, url);
    const button = h("button", {
      "type": "button", "class": `verdict verdict-${kind}`, "tabindex": isCursor ? "0" : "-1",
      "aria-pressed": isShown ? "true" : "false",
      "title": kind === "invalid" ? "Neither a URL nor a path that begins with /." : null,
      "onclick": () => {
        this.cursor = { row, column: index };
        this.select(asker, text);
      },
    }, h("span", { "aria-hidden": "true", "class": "glyph" }, { allow: "✓", disallow: "✕", mixed: "◐", invalid: "–", error: "–" }[kind]), words);
    return h("td", { role: "gridcell" }, button);
  }

  private select(asker: Asker, url: string): void {
    this.app.selected = { asker, url };
    for (const button of this.table.querySelectorAll("[aria-pressed=true]")) button.setAttribute("aria-pressed", "false");
    const cell = this.cellAt(this.cursor.row, this.cursor.column);
    cell?.setAttribute("aria-pressed", "true");
    this.moveTo(this.cursor.row, this.cursor.column, false);
    this.app.changed("selected");
    void this.why.ask(true);
  }

  private cellAt(row: number, column: number): HTMLButtonElement | null {
    return this.table.querySelector<HTMLButtonElement>(
      `tbody tr:nth-child(${row + 1}) td:nth-child(${column + 2}) button`);
  }

  private focusCell(): void {
    this.cellAt(this.cursor.row, this.cursor.column)?.focus();
  }

  private moveTo(row: number, column: number, focus = true): void {
    for (const button of this.table.querySelectorAll("td button[tabindex='0']")) button.setAttribute("tabindex", "-1");
    this.cursor = { row, column };
    const cell = this.cellAt(row, column);
    cell?.setAttribute("tabindex", "0");
    if (focus) cell?.focus();
  }

  private key(event: KeyboardEvent, rows: number, columns: number): void {
    if (event.altKey || event.metaKey || event.shiftKey) return;
    const { row, column } = this.cursor;
    const clamp = (number: number, count: number) => Math.max(0, Math.min(number, count - 1));
    const moves: Record<string, [number, number]> = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      Home: event.ctrlKey ? [0, 0] : [row, 0], End: event.ctrlKey ? [rows - 1, columns - 1] : [row, columns - 1],
      PageDown: [row + 10, column], PageUp: [row - 10, column],
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    this.moveTo(clamp(move[0], rows), clamp(move[1], columns));
  }

  private drawPager(first: number, length: number): void {
    const pages = Math.ceil(this.rows.length / ROWS);
    if (pages <= 1) {
      fill(this.pager);
      return;
    }
    const go = (page: number, label: string) => () => {
      this.page = page;
      this.cursor = { row: 0, column: this.cursor.column };
      this.draw();
      this.table.scrollTop = 0;
      this.app.announce(`Page ${page + 1} of ${pages}.`);
      // The button that was pressed is drawn anew.
      const again = [...this.pager.querySelectorAll("button")].find((button) => button.textContent === label && !button.disabled);
      (again ?? this.pager.querySelector<HTMLButtonElement>("button:not(:disabled)"))?.focus();
    };
    const button = (label: string, page: number) =>
      h("button", { type: "button", disabled: page < 0 || page >= pages || page === this.page, onclick: go(page, label) }, label);
    const number = (value: number) => value.toLocaleString("en");
    fill(this.pager,
      button("First", 0), button("Previous", this.page - 1),
      h("span", {}, `${number(first + 1)}–${number(first + length)} of ${number(this.rows.length)}`),
      button("Next", this.page + 1), button("Last", pages - 1));
  }

  /** How many URLs each crawler may fetch. */
  private summed(): string {
    const { askers, urls } = this.asked;
    if (this.columns.length === 0) return "";
    const parts = this.columns.flatMap((column, index) => {
      if (column.kind === "purpose") return [`${titleOf(askers[index]!)} ${summedMembers(column)}`];
      if (column.kind !== "crawler") return [];
      let [allowed, invalid] = [0, 0];
      for (const verdict of column.verdicts) {
        if (verdict === ALLOW) allowed += 1;
        else if (verdict === INVALID) invalid += 1;
      }
      const bad = invalid > 0 ? `, ${invalid.toLocaleString("en")} invalid` : "";
      return [`${titleOf(askers[index]!)} may fetch ${allowed.toLocaleString("en")}${bad}`];
    });
    const more = parts.length > 3 ? ` (and ${count(parts.length - 3, "more column")})` : "";
    const says = parts.length > 0 ? `: ${parts.slice(0, 3).join("; ")}${more}` : "";
    return `${count(urls.length, "URL")}${says}.`;
  }
}

/** How many URLs all crawlers of a purpose may fetch, and how many only some. */
function summedMembers({ members, disallowed, invalid }: Column & { kind: "purpose" }): string {
  let [all, some] = [0, 0];
  for (let url = 0; url < disallowed.length; url++) {
    if (invalid[url]) continue;
    if (disallowed[url] === 0) all += 1;
    else if (disallowed[url]! < members.length) some += 1;
  }
  const others = some > 0 ? `, and some of them ${some.toLocaleString("en")} more` : "";
  return `may all fetch ${all.toLocaleString("en")}${others}`;
}

/** What all URLs with a host begin with, up to the path: it is said once, above them. Paths and what is no URL do not count. */
export function commonSite(urls: readonly string[]): string {
  const sites = urls.flatMap((url) => (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? [/^https?:\/\/[^/?#]+(?=\/)/i.exec(url)?.[0] ?? ""] : []));
  const [site] = sites;
  return site !== undefined && sites.length > 1 && sites.every((other) => other === site) ? site : "";
}

function pathOn(site: string, url: string): string {
  return site !== "" && url.startsWith(`${site}/`) ? url.slice(site.length) : url;
}

/** The verdict words are the engine's. */
export function verdictWords(column: Column, url: number): ["allow" | "disallow" | "mixed" | "invalid" | "error", string] {
  if (column.kind === "error") return ["error", "no crawler"];
  if (column.kind === "crawler") {
    const verdict = column.verdicts[url];
    return verdict === ALLOW ? ["allow", "allow"] : verdict === DISALLOW ? ["disallow", "disallow"] : ["invalid", "invalid"];
  }
  const disallowed = column.disallowed[url]!;
  if (column.invalid[url]) return ["invalid", "invalid"];
  if (disallowed === 0) return ["allow", "all allow"];
  if (disallowed === column.members.length) return ["disallow", "all disallow"];
  return ["mixed", `${disallowed} of ${column.members.length} disallow`];
}
