/** Why a verdict is what it is. */

import type { CompareReport, ExplainReport, MatchedRule, ProfileName } from "robotsieve";
import type { App } from "../app.js";
import { fill, h } from "../dom.js";
import { type Asker, knownAsker, titleOf } from "../engine/asker.js";
import type { Members, Why } from "../engine/answers.js";
import { count, folded, sentence, shortened, shown } from "../engine/shown.js";
import { Fresh } from "../fresh.js";
import type { Mark } from "../editor.js";
import { PROFILE_TITLES } from "../profiles.js";
import { urlMeant, urlParts } from "../urls.js";

export class WhyPanel {
  private readonly heading = h("h3", { id: "why-heading", tabindex: "-1" }, "Why");
  private readonly content = h("div", { class: "why-content" });
  readonly element = h("section", { "class": "why", "aria-labelledby": "why-heading" }, this.heading, this.content);

  private readonly fresh = new Fresh(this.content);

  constructor(
    private readonly app: App,
    private readonly addAsker: (asker: Asker) => void,
    private readonly replaceUrl: (url: string, other: string) => void,
  ) {
    this.showEmpty();
  }

  outdated(): void {
    this.fresh.outdated();
  }

  private showEmpty(): void {
    this.fresh.answered();
    fill(this.content, h("p", { class: "empty" }, "Choose a verdict in the table: it is explained here, and its rule is marked in the file."));
    this.app.editor?.setMarks([]);
  }

  /** Explains the verdict that is chosen. `scroll`: because it was chosen just now. */
  async ask(scroll = false): Promise<void> {
    const { selected } = this.app;
    if (!selected) {
      this.showEmpty();
      return;
    }
    const { asker, url } = selected;
    this.fresh.outdated();
    if (asker.kind === "purpose") {
      const reply = await this.app.ask("members", { asker, url });
      if (!reply || selected !== this.app.selected) return;
      if ("problem" in reply) this.showProblem(asker, url, reply.problem, scroll);
      else this.showMembers(asker, url, reply.answer, scroll);
      return;
    }
    const reply = await this.app.ask("why", { asker, url });
    if (!reply || selected !== this.app.selected) return;
    if ("problem" in reply) this.showProblem(asker, url, reply.problem, scroll);
    else this.show(asker, url, reply.answer, scroll);
  }

  private showProblem(asker: Asker, url: string, message: string, isChosen: boolean): void {
    this.fresh.answered();
    const meant = urlMeant(url);
    const use = () => {
      this.replaceUrl(url, meant!);
      this.heading.focus();
    };
    fill(this.content, this.question(asker, url, null), h("p", { class: "problem" }, folded(message)),
      meant !== null && h("p", { class: "row" }, h("button", { type: "button", onclick: use }, `Use ${shortened(meant, 60)}`)));
    this.app.editor.setMarks([]);
    this.end(message, isChosen);
  }

  /** Tells what was asked for just now, and brings it into view: not what follows from an edit. */
  private end(text: string, isChosen: boolean): void {
    if (!isChosen) return;
    this.app.announce(text);
    const { top, bottom } = this.element.getBoundingClientRect();
    if (top < 0) this.element.scrollIntoView({ block: "start" });
    // So much of it that one reads the verdict and the rule.
    else window.scrollBy({ top: Math.max(0, Math.min(Math.min(bottom, top + 360) - innerHeight, top - 12)) });
  }

  private question(asker: Asker, url: string, why: Why | null): HTMLElement {
    const parts = why
      ? urlParts(url, why.explanation).map((part) =>
          part.kind === "plain" ? folded(part.text) : h("mark", { class: `part part-${part.kind}` }, folded(part.text)))
      : [folded(url)];
    return h("div", { class: "question" },
      h("p", { class: "asker" }, titleOf(asker)),
      h("p", { class: "url" }, parts));
  }

  private show(asker: Asker, url: string, why: Why, scroll: boolean): void {
    const { explanation, comparison } = why;
    const { verdict, selection, target } = explanation;
    const [winner, runnerUp] = deciding(explanation);
    const said = [...explanation.sentences, ...(selection?.sentences ?? [])].map(({ text }) => sentence(text));
    this.fresh.answered();
    fill(this.content,
      h("p", { class: `big-verdict verdict-${verdict}` },
        h("span", { "aria-hidden": "true", "class": "glyph" }, verdict === "allow" ? "✓" : "✕"), verdict),
      this.question(asker, url, why),
      winner && this.rule("Deciding rule", winner, "winner"),
      runnerUp && this.rule("Runner-up", runnerUp, "runner-up"),
      h("ul", { class: "sentences" },
        said.map((text) => h("li", {}, this.linked(text))),
        // A note that begins with a line is about one that joins the group.
        selection?.notes.map((note) => h("li", { class: /^line \d/.test(note) ? "warn" : "hint" }, this.linked(sentence(note)))),
        [why.warning, why.ignoresStar].map((text) => text !== null && h("li", { class: "warn" }, sentence(text))),
        target !== null && target.changes.length > 0 && h("li", {}, sentence(target.label)),
        winner && h("li", { class: "legend" }, h("mark", { class: "part part-literal" }, "Underlined"), ": what the rule matches. ",
          winner.pieces.some((piece) => piece.kind === "star") && [h("mark", { class: "part part-star" }, "Dotted"), ": what a star matches."])),
      this.profiles(comparison),
      h("p", { class: "row" }, h("button", { type: "button", onclick: () => document.dispatchEvent(new CustomEvent("show-automaton")) }, "Show it in the automaton")));
    this.mark(why, scroll);
    this.end(`${verdict}. ${said.join(" ")}`, scroll);
  }

  /** A sentence in which each line of the file is a way to it. */
  private linked(text: string): (string | HTMLElement)[] {
    return text.split(/(\blines? \d+)/i).map((part, index) => {
      if (index % 2 === 0) return part;
      return this.goTo(part, Number(/\d+/.exec(part)![0]));
    });
  }

  private goTo(text: string, line: number): HTMLElement {
    return h("button", { type: "button", class: "go", onclick: () => this.app.editor.goToLine(line) }, text);
  }

  private rule(title: string, rule: MatchedRule, kind: "winner" | "runner-up"): HTMLElement {
    const field = rule.verdict === "allow" ? "Allow" : "Disallow";
    return h("dl", { class: `rule rule-${kind}` },
      h("dt", {}, title),
      h("dd", {}, this.goTo(`line ${rule.line}`, rule.line), " ", h("code", {}, `${field}: ${shown(rule.value)}`)));
  }

  /** Nothing where all profiles agree. */
  private profiles(comparison: CompareReport): HTMLElement | null {
    if (comparison.agree && comparison.differences.length === 0) return null;
    return h("div", { class: "profiles" },
      h("h4", {}, comparison.agree ? "Same verdict, other reasons" : "Readings of the protocol differ here"),
      comparison.sentences.map(({ text }) => h("p", {}, sentence(text))),
      h("table", {},
        h("thead", {}, h("tr", {}, ["Profile", "Verdict", "Line"].map((title) => h("th", { scope: "col" }, title)))),
        h("tbody", {}, comparison.explanations.map(({ profile, verdict, line }) =>
          h("tr", { class: profile === this.app.profile ? "current" : null },
            h("th", { scope: "row" }, profile, h("span", { class: "column-note" }, PROFILE_TITLES[profile as ProfileName])),
            h("td", { class: `verdict-text verdict-text-${verdict}` }, verdict),
            h("td", {}, line ?? "–"))))));
  }

  private showMembers(asker: Asker, url: string, members: Members, scroll: boolean): void {
    const list = (title: string, kind: "allow" | "disallow", of: Members["allowed"]) =>
      of.length > 0 && [
        h("h4", {}, h("span", { class: `verdict-text verdict-text-${kind}` }, title), `: ${count(of.length, "crawler")}`),
        h("ul", { class: "members" }, of.map(({ name, names }) =>
          h("li", {}, h("button", { type: "button", class: "member", onclick: () => this.explainMember(names, url) }, name)))),
      ];
    this.fresh.answered();
    fill(this.content,
      this.question(asker, url, null),
      list("disallow", "disallow", members.disallowed),
      list("allow", "allow", members.allowed),
      h("p", { class: "hint" }, "Choose a crawler to add it to the table and to see why."));
    this.app.editor.setMarks([]);
    this.end(`${members.disallowed.length} crawlers disallow, ${members.allowed.length} allow.`, scroll);
  }

  private explainMember(names: string[], url: string): void {
    const asker = knownAsker(names);
    this.addAsker(asker);
    this.app.selected = { asker, url };
    this.app.changed("selected");
    this.heading.focus();
    void this.ask(true);
  }

  /** Marks in the editor what the answer is about. If it was chosen just now, its line is brought into view. */
  private mark({ explanation }: Why, isChosen: boolean): void {
    const { selection } = explanation;
    const marks: Mark[] = [];
    for (const line of selection?.lines ?? []) {
      if (line.standing === "chosen" || line.standing === "in-chosen-group") marks.push({ kind: "group", span: line.value_span });
    }
    const [winner, runnerUp] = deciding(explanation);
    if (runnerUp) marks.push({ kind: "runner-up", span: runnerUp.line_span });
    if (winner) {
      marks.push({ kind: "winner", span: winner.line_span });
      for (const piece of winner.pieces) marks.push({ kind: "winner-piece", span: piece.file_span });
    }
    this.app.editor.setMarks(marks);
    if (!isChosen) return;
    const place = winner?.line_span ?? selection?.lines.find((line) => line.standing === "chosen")?.value_span;
    if (place) this.app.editor.scrollTo(place[0]);
  }
}

/** The rule that decides, and the one that would without its line. */
function deciding({ matches, winner_line, runner_up_line }: ExplainReport): (MatchedRule | undefined)[] {
  return [winner_line, runner_up_line].map((line) => matches.find((rule) => rule.line === line));
}
