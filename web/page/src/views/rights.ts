/** What a page may be used for, and who says so. */

import type { RightsReport, TagReading } from "robotsieve";
import type { App, Change, View } from "../app.js";
import { fill, h, pastesAtOnce } from "../dom.js";
import { parsedAsker, writtenAsker } from "../engine/asker.js";
import type { RightsAnswer } from "../engine/answers.js";
import { folded, sentence, shown } from "../engine/shown.js";
import { Fresh } from "../fresh.js";
import type { GivenRights } from "../link.js";
import { Question } from "../question.js";
import { READING_NAMES, READING_TITLES } from "../readings.js";

/** The purposes in words. The package and the command name them as their keys. */
const WORDS: Record<RightsReport["purposes"][number]["purpose"], string> = {
  "crawl": "Crawling", "index": "Search results", "snippet": "Snippets", "ai-input": "AI answers", "ai-train": "AI training", "ai-index": "AI index",
};

const GLYPHS = { allow: "✓", disallow: "✕", unknown: "?" } as const;

export class RightsView implements View {
  private isStale = true;
  /** Whether the crawler or the URL was chosen here. */
  private isOwn = false;

  private readonly question: Question;
  private readonly headers = h("textarea", {
    "id": "rights-headers", "rows": "5", "spellcheck": "false", "autocapitalize": "off", "wrap": "off",
    "placeholder": "X-Robots-Tag: noindex\nContent-Usage: train-ai=n", "aria-describedby": "rights-headers-hint",
  });
  private readonly html = h("textarea", {
    "id": "rights-html", "rows": "5", "spellcheck": "false", "autocapitalize": "off", "wrap": "off",
    "placeholder": '<meta name="robots" content="nosnippet">', "aria-describedby": "rights-html-hint",
  });
  private readonly reading = h("select", { id: "rights-reading" });
  private readonly note = h("p", { class: "field-problem", role: "status" });
  private readonly content = h("div", { class: "rights" });
  private readonly fresh = new Fresh(this.content);

  constructor(private readonly app: App, panel: HTMLElement, private readonly onTyped: () => void) {
    fill(this.reading, READING_NAMES.map((reading) => h("option", { value: reading }, READING_TITLES[reading])));
    this.reading.addEventListener("change", () => this.changed());
    let timer: ReturnType<typeof setTimeout> | undefined;
    const typed = () => {
      this.fresh.outdated();
      clearTimeout(timer);
      timer = setTimeout(() => this.changed(), 250);
    };
    this.question = new Question(app, "rights", { label: "URL", placeholder: "https://example.com/page" }, () => {
      this.isOwn = true;
      this.changed();
    }, () => {
      this.isOwn = true;
      typed();
    });
    for (const area of [this.headers, this.html]) {
      area.addEventListener("input", typed);
      pastesAtOnce(area, typed);
    }
    fill(panel,
      h("div", { class: "section-head" }, h("h3", {}, "Rights")),
      h("p", { class: "hint" }, "What a page may be used for, and who says so: lines of robots.txt, header fields and elements of the page. The most restrictive statement wins, and silence is no permission. This is no legal advice."),
      h("div", { class: "questions" },
        this.question.fields,
        h("div", { class: "field" },
          h("label", { for: "rights-headers" }, "Response headers"), this.headers,
          h("p", { class: "hint", id: "rights-headers-hint" }, "As curl -I prints them. Of several responses the last one counts.")),
        h("div", { class: "field" },
          h("label", { for: "rights-html" }, "HTML of the page"), this.html,
          h("p", { class: "hint", id: "rights-html-hint" }, "The head is enough for most pages.")),
        h("div", { class: "field" },
          h("label", { for: "rights-reading" }, "Robots tags as read by"), this.reading)),
      this.note, this.content);
  }

  /** What is given here. `null`: nothing, and the question is that of the verdict that is explained. */
  get given(): GivenRights | null {
    const [headers, html, reading] = [this.headers.value, this.html.value, this.reading.value as TagReading];
    if (headers === "" && html === "" && reading === "generic" && !this.isOwn) return null;
    const { asker } = this.question;
    return { headers, html, reading, url: this.question.url, crawler: asker ? writtenAsker(asker) : "n*" };
  }

  get length(): number {
    return this.headers.value.length + this.html.value.length;
  }

  /** Puts a state of the page here, after the crawlers and the URLs. */
  load(given: GivenRights | null): void {
    this.headers.value = given?.headers ?? "";
    this.html.value = given?.html ?? "";
    this.reading.value = given?.reading ?? "generic";
    this.isStale = true;
    const asker = given && parsedAsker(given.crawler);
    if (!given || !asker) {
      this.takeSelected();
      return;
    }
    this.question.choose(asker);
    this.question.putUrl(given.url);
    this.isOwn = true;
  }

  outdated(): void {
    this.fresh.outdated();
  }

  update(changes: ReadonlySet<Change>): void {
    this.question.update(changes);
    if (changes.has("selected")) this.takeSelected();
    if (changes.has("file") || changes.has("profile") || changes.has("askers") || changes.has("urls")) {
      this.isStale = true;
      this.fresh.outdated();
    }
    if (this.app.tab === "rights" && this.isStale) void this.ask();
  }

  /** Takes the verdict that is explained. */
  private takeSelected(): void {
    if (!this.question.takeSelected()) return;
    this.isOwn = false;
    this.isStale = true;
  }

  private changed(): void {
    this.isStale = true;
    this.onTyped();
    void this.ask(true);
  }

  /** `isChosen`: because something was changed here just now, and not elsewhere. */
  private async ask(isChosen = false): Promise<void> {
    this.isStale = false;
    const { asker } = this.question;
    const url = this.question.url.trim();
    if (!asker || url === "") {
      this.note.textContent = "";
      this.fresh.answered();
      fill(this.content, h("p", { class: "empty" }, "Write a URL above to see what its page may be used for."));
      return;
    }
    this.fresh.outdated();
    const reading = this.reading.value as TagReading;
    const reply = await this.app.ask("rights", { asker, url, headers: this.headers.value, html: this.html.value, reading });
    if (!reply) {
      this.isStale = true;
      return;
    }
    this.fresh.answered();
    if ("answer" in reply) {
      this.draw(reply.answer, isChosen);
      return;
    }
    this.note.textContent = "";
    fill(this.content, h("p", { class: "problem" }, folded(reply.problem)));
    if (isChosen) this.app.announce(reply.problem);
  }

  private draw({ report, warning }: RightsAnswer, isChosen: boolean): void {
    this.note.textContent = warning === null ? "" : sentence(warning);
    fill(this.content,
      h("dl", { class: "rulings" }, report.purposes.map((of) => this.purpose(of))),
      report.sentences.length > 0 &&
        h("ul", { class: "sentences" }, report.sentences.map((text) => h("li", {}, this.linked(sentence(text), /(?<=\(named by )(robots\.txt:\d+)(?=\))/)))));
    // As everywhere: what was asked for just now is told, and not what follows from an edit of the file.
    if (isChosen) this.app.announce(`${report.purposes.map(({ purpose, ruling }) => `${WORDS[purpose]}: ${ruling}`).join(", ")}.`);
  }

  private purpose({ purpose, ruling, reasons }: RightsReport["purposes"][number]): HTMLElement {
    return h("div", { class: `ruling ruling-${ruling}` },
      h("dt", {},
        h("span", { class: "ruling-purpose", title: purpose }, WORDS[purpose]), " ",
        h("span", { class: `verdict-text verdict-text-${ruling}` }, h("span", { "aria-hidden": "true", "class": "glyph" }, GLYPHS[ruling]), ruling)),
      h("dd", {}, h("ul", {}, reasons.map((text) => this.reason(text)))));
  }

  /** A reason: the place, what stands there, and the version of the text in brackets. */
  private reason(text: string): HTMLElement {
    const parts = /^(\S+?)(?:: (.*))? (\[[^[\]]*\])$/s.exec(text);
    // No statement decided: that is why.
    if (!parts) return h("li", { class: "no-statement" }, shown(text));
    const [, place, quote, version] = parts;
    return h("li", {}, this.linked(folded(place!), /^(robots\.txt:\d+)$/),
      quote !== undefined && [": ", h("code", {}, folded(quote))], " ", h("span", { class: "version" }, version));
  }

  /** A text in which a line of the file is a way to it. */
  private linked(text: string, place: RegExp): (string | HTMLElement)[] {
    return text.split(place).map((part, index) =>
      index % 2 === 0 ? part : h("button", { type: "button", class: "go", onclick: () => this.app.editor.goToLine(Number(part.split(":")[1])) }, part));
  }
}
