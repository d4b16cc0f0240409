/** A crawler and a URL that a view asks about: those of the verdict that is explained, or others. */

import type { App, Change } from "./app.js";
import { fill, h } from "./dom.js";
import { type Asker, titleOf } from "./engine/asker.js";

export class Question {
  /** The URL, if it is of the list of the URLs and not typed here. */
  private listed: string | null = null;
  private readonly crawler: HTMLSelectElement;
  private readonly input: HTMLInputElement;
  private readonly urls: HTMLDataListElement;
  /** The elements for both. */
  readonly fields: HTMLElement[];

  /** `name` is that of the view in the ids; `onCrawler` and `onUrl` are told of what is chosen and typed here. */
  constructor(private readonly app: App, name: string, texts: { label: string; placeholder: string }, onCrawler: () => void, onUrl: () => void) {
    this.crawler = h("select", { id: `${name}-crawler` });
    this.input = h("input", { "id": `${name}-url`, "list": `${name}-urls`, "autocomplete": "off", "spellcheck": "false", "placeholder": texts.placeholder });
    this.urls = h("datalist", { id: `${name}-urls` });
    this.crawler.addEventListener("change", onCrawler);
    this.input.addEventListener("input", () => {
      this.listed = app.urls.includes(this.input.value) ? this.input.value : null;
      onUrl();
    });
    this.fields = [
      h("div", { class: "field" }, h("label", { for: `${name}-crawler` }, "Crawler"), this.crawler),
      h("div", { class: "field" }, h("label", { for: `${name}-url` }, texts.label), this.input, this.urls),
    ];
  }

  get asker(): Asker | undefined {
    return this.askers()[Number(this.crawler.value)];
  }

  /** The URL as it was typed. */
  get url(): string {
    return this.input.value;
  }

  choose(asker: Asker): void {
    const index = this.askers().findIndex((other) => titleOf(other) === titleOf(asker));
    if (index >= 0) this.crawler.value = String(index);
  }

  putUrl(url: string): void {
    this.input.value = url;
    this.listed = this.app.urls.includes(url) ? url : null;
  }

  /** Takes the verdict that is explained. Returns false if there is none, or if it is of no one crawler. */
  takeSelected(): boolean {
    const { selected } = this.app;
    if (!selected || selected.asker.kind === "purpose") return false;
    this.choose(selected.asker);
    this.putUrl(selected.url);
    return true;
  }

  update(changes: ReadonlySet<Change>): void {
    if (changes.has("askers")) this.drawCrawlers();
    if (changes.has("urls") || changes.has("askers")) {
      fill(this.urls, this.app.urls.slice(0, 50).map((url) => h("option", { value: url })));
      const isGone = this.listed !== null && !this.app.urls.includes(this.listed);
      if (this.url === "" || isGone) this.putUrl(this.app.selected?.url ?? this.app.urls[0] ?? "");
    }
  }

  private askers(): Asker[] {
    const askers = this.app.askers.filter((asker) => asker.kind !== "purpose");
    return [...askers, { kind: "names", names: ["*"] }];
  }

  private drawCrawlers(): void {
    const before = this.crawler.selectedOptions[0]?.textContent;
    const askers = this.askers();
    fill(this.crawler, askers.map((asker, index) =>
      h("option", { value: index }, index === askers.length - 1 ? "* (a crawler that no group names)" : titleOf(asker))));
    const same = [...this.crawler.options].find((option) => option.textContent === before);
    if (same) this.crawler.value = same.value;
  }
}
