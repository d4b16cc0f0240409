/** The automaton of a policy, drawn, and the walk of a URL through it. */

import type { Automaton, WalkStep } from "robotsieve";
import type { App, Change, View } from "../app.js";
import { fill, h, s } from "../dom.js";
import type { Asker } from "../engine/asker.js";
import type { Machine } from "../engine/answers.js";
import { count, folded, shown } from "../engine/shown.js";
import { Fresh } from "../fresh.js";
import { type Drawing, layout, RADIUS } from "../layout.js";
import { Question } from "../question.js";

const STEP_MS = 700;

/** A label on an edge is cut after so many characters. */
const LABEL_CHARS = 9;

const OWN = "own";

export class AutomatonView implements View {
  private isStale = true;
  private automaton: Automaton | null = null;
  private drawing: Drawing | null = null;
  /** How many bytes of the walk are read. */
  private step = 0;
  private timer: ReturnType<typeof setInterval> | undefined;
  private asked: { asker: Asker; url: string | null } | null = null;

  private readonly question: Question;
  private readonly note = h("p", { class: "hint", role: "status" });
  private readonly says = h("p", { class: "step-says", "aria-live": "polite" });
  private readonly tape = h("p", { "class": "tape", "aria-hidden": "true" });
  private readonly picture = h("div", { class: "machine", tabindex: "0", role: "group" });
  private readonly steps = h("ol", { class: "steps" });
  private readonly buttons = {
    start: h("button", { type: "button", onclick: () => this.go(0) }, "Start"),
    back: h("button", { type: "button", onclick: () => this.go(this.step - 1) }, "Back"),
    play: h("button", { type: "button", onclick: () => this.play() }, "Play"),
    next: h("button", { type: "button", onclick: () => this.go(this.step + 1) }, "Next"),
    end: h("button", { type: "button", onclick: () => this.go(Infinity) }, "End"),
  };
  private readonly body: HTMLElement;
  private readonly fresh: Fresh;

  constructor(private readonly app: App, panel: HTMLElement) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    this.question = new Question(app, "machine", { label: "URL to walk", placeholder: "/path?query" }, () => this.restart(), () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.restart(), 250);
    });
    const key = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const to = { ArrowRight: this.step + 1, ArrowLeft: this.step - 1, Home: 0, End: Infinity }[event.key];
      if (to === undefined && event.key !== " ") return;
      if (event.key === " ") {
        // On a button, the space bar presses it.
        if (event.target !== this.picture) return;
        this.play();
      } else this.go(to!);
      event.preventDefault();
    };
    this.body = h("div", { class: "machine-body", onkeydown: key },
      h("div", { "class": "row steps-buttons", "role": "group", "aria-label": "The walk of the URL" }, Object.values(this.buttons)),
      this.tape, this.says, this.picture,
      h("ul", { class: "legend" },
        h("li", {}, h("span", { class: "key key-allow" }, "✓"), "allow, if the URL ends here"),
        h("li", {}, h("span", { class: "key key-disallow" }, "✕"), "disallow, if the URL ends here"),
        h("li", {}, h("span", { class: "key key-final" }), "a box is final: nothing that follows is read"),
        h("li", {}, h("span", { class: "key key-otherwise" }), "every other byte")),
      h("details", { class: "steps-box" }, h("summary", {}, "All steps as a list"), this.steps));
    this.fresh = new Fresh(this.body, this.note);
    fill(panel,
      h("div", { class: "section-head" }, h("h3", {}, "Automaton")),
      h("p", { class: "hint" }, "The rules for a crawler become one automaton. It reads path and query byte by byte, after the first /, and needs one step for each byte, however many rules there are."),
      h("div", { class: "questions" }, this.question.fields),
      this.note, this.body);
  }

  /** Takes the verdict that is explained. */
  private takeSelected(): void {
    if (!this.question.takeSelected()) return;
    this.isStale = true;
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
    if (this.app.tab !== "automaton") this.pause();
    else if (this.isStale) void this.ask();
  }

  private restart(): void {
    this.isStale = true;
    void this.ask();
  }

  private async ask(): Promise<void> {
    this.isStale = false;
    this.fresh.outdated();
    this.pause();
    const asker = this.question.asker ?? { kind: "names", names: ["*"] };
    const url = this.question.url.trim() === "" ? null : this.question.url.trim();
    this.asked = { asker, url };
    const { asked } = this;
    const reply = await this.app.ask("machine", { asker, url });
    if (asked !== this.asked) return;
    if (!reply) {
      this.isStale = true;
      return;
    }
    this.fresh.answered();
    if ("problem" in reply) this.refuse(reply.problem);
    else this.take(reply.answer);
  }

  private refuse(message: string): void {
    this.body.hidden = true;
    this.note.textContent = folded(message);
  }

  private take(machine: Machine): void {
    if (machine.kind === "too-large") {
      this.refuse(`These rules are over the limits of an automaton (${machine.why}). They are decided in another way, with the same verdicts; there is nothing to draw.`);
      return;
    }
    const { automaton } = machine;
    this.automaton = automaton;
    this.body.hidden = false;
    this.note.textContent = sizeNote(automaton);
    this.drawing = layout(automaton);
    this.drawPicture();
    const walk = automaton.walk;
    fill(this.steps, walk?.steps.map((step, index) => h("li", {}, this.stepText(index + 1, step))));
    for (const button of Object.values(this.buttons)) button.disabled = !walk;
    this.go(walk ? walk.steps.length : 0, false);
  }

  private node(state: number): string {
    return `state ${state}`;
  }

  private drawPicture(): void {
    const { automaton, drawing } = this;
    if (!automaton || !drawing) return;
    const { nodes, edges, width, height } = drawing;
    const edgeElements = edges.map((edge) => {
      const label = edge.label.length > LABEL_CHARS ? `${edge.label.slice(0, LABEL_CHARS - 1)}…` : edge.label;
      return s("g", { class: `edge${edge.isOtherwise ? " edge-otherwise" : ""}${edge.isForward ? "" : " edge-back"}`, "data-from": edge.from, "data-to": edge.to },
        s("path", { "d": edge.path, "marker-end": "url(#arrow)" }),
        label !== "" && s("text", { x: edge.labelX, y: edge.labelY }, label, s("title", {}, edge.label)),
        edge.to === null && s("title", {}, `${edge.label || "every other byte"}: to a state that is not drawn`));
    });
    const nodeElements = nodes.map(({ state, x, y }) => {
      const { verdict, final } = automaton.states[state]!;
      const shape = final
        ? s("rect", { x: x - RADIUS, y: y - RADIUS, width: RADIUS * 2, height: RADIUS * 2, rx: 3 })
        : s("circle", { cx: x, cy: y, r: RADIUS });
      return s("g", { class: `state state-${verdict}`, "data-state": state },
        shape,
        s("text", { "x": x, "y": y - 3, "class": "state-glyph" }, verdict === "allow" ? "✓" : "✕"),
        s("text", { "x": x, "y": y + 10, "class": "state-number" }, state),
        s("title", {}, `State ${state}: ${verdict}${final ? ", final" : " if the URL ends here"}`));
    });
    const arrow = s("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerUnits: "userSpaceOnUse", markerWidth: 9, markerHeight: 9, orient: "auto-start-reverse" },
      s("path", { d: "M0 0.5 8 4 0 7.5Z" }));
    const start = nodes[automaton.start]!;
    const entry = s("g", { class: "edge entry" },
      s("path", { "d": `M${start.x - RADIUS - 16} ${start.y}H${start.x - RADIUS - 1}`, "marker-end": "url(#arrow)" }),
      s("text", { x: start.x - RADIUS - 10, y: start.y - 6 }, "/"));
    fill(this.picture, s("svg", {
      "viewBox": `0 0 ${width} ${height}`, "width": width, "height": height, "role": "img",
      "aria-label": `The automaton: ${count(nodes.length, "state")} drawn.`,
    }, s("defs", {}, arrow), entry, edgeElements, nodeElements));
    this.picture.setAttribute("aria-label", "The drawing. Arrow keys step through the walk, the space bar plays it.");
  }

  private stateAt(step: number): number | null {
    if (step === 0) return this.automaton?.start ?? 0;
    return this.automaton?.walk?.steps[step - 1]?.state ?? null;
  }

  private stepText(number: number, step: WalkStep): string {
    const from = this.stateAt(number - 1);
    const to = step.state;
    const target = to === null ? "to a state that is not drawn" : from === to ? `stays in ${this.node(to)}` : `to ${this.node(to)}`;
    const state = to === null ? null : this.automaton!.states[to];
    const end = !state ? "" : state.final ? `: ${state.verdict}, final` : `: ${state.verdict} if the URL ends here`;
    return `${step.label} ${target}${end}`;
  }

  /** Goes to a place in the walk. */
  private go(to: number, isTold = true): void {
    const { automaton } = this;
    const walk = automaton?.walk;
    if (!automaton) return;
    const last = walk?.steps.length ?? 0;
    this.step = Math.max(0, Math.min(to, last));
    const { step } = this;
    if (step === last) this.pause();
    // Disabled buttons lose the focus, so they are only marked.
    const marked = (button: HTMLButtonElement, isOff: boolean) => button.setAttribute("aria-disabled", String(isOff));
    marked(this.buttons.start, step === 0);
    marked(this.buttons.back, step === 0);
    marked(this.buttons.next, step === last);
    marked(this.buttons.end, step === last);
    const path = new Set<string>();
    for (let at = 1; at <= step; at++) path.add(`${this.stateAt(at - 1)} ${this.stateAt(at)}`);
    const visited = new Set<number | null>(Array.from({ length: step + 1 }, (_, at) => this.stateAt(at)));
    const current = this.stateAt(step);
    for (const element of this.picture.querySelectorAll<SVGGElement>(".state")) {
      const state = Number(element.dataset.state);
      element.classList.toggle("walked", visited.has(state));
      element.classList.toggle("current", state === current);
    }
    const previous = step > 0 ? this.stateAt(step - 1) : null;
    const taken = walk && step > 0 ? edgeTaken(automaton, previous, walk.steps[step - 1]!) : null;
    for (const element of this.picture.querySelectorAll<SVGGElement>(".edge")) {
      const { from, to } = element.dataset;
      if (from === undefined) continue;
      const isOtherwise = element.classList.contains("edge-otherwise");
      element.classList.toggle("walked", path.has(`${from} ${to}`));
      element.classList.toggle("leaving", Number(from) === current);
      element.classList.toggle("taken", Number(from) === previous && to === String(current) && (taken === "otherwise") === isOtherwise);
    }
    this.drawTape();
    this.says.textContent = this.said();
    if (isTold || walk) this.scrollTo(current);
  }

  private said(): string {
    const { automaton, step } = this;
    const walk = automaton?.walk;
    if (!automaton) return "";
    if (!walk) return "Write a URL above to see its walk.";
    const last = walk.steps.length;
    if (step === 0) {
      const { verdict, final } = automaton.states[automaton.start]!;
      return final
        ? `The walk begins in state 0, which is final: ${verdict}, whatever the path.`
        : `The walk begins in state 0. If the URL ended after the first /: ${verdict}.`;
    }
    const text = `Byte ${step} of ${last}: ${this.stepText(step, walk.steps[step - 1]!)}.`;
    if (step < last) return text;
    return walk.stops_early ? `${text} The rest of the URL is not read.` : `${text} The URL ends here: ${walk.verdict}.`;
  }

  /** The URL with what is read so far. */
  private drawTape(): void {
    const walk = this.automaton?.walk;
    const url = this.asked?.url;
    if (!walk || url === null || url === undefined) {
      fill(this.tape);
      return;
    }
    const [start] = walk.target.url_span;
    const begin = Math.min(start + 1, url.length);
    const [from, to] = this.step > 0 ? walk.steps[this.step - 1]!.url_span : [begin, begin];
    fill(this.tape,
      h("span", { class: "tape-before" }, folded(url.slice(0, start), 300)),
      h("span", { class: "tape-read" }, folded(url.slice(start, from), 300)),
      h("span", { class: "tape-now" }, shown(url.slice(from, to))),
      h("span", { class: "tape-rest" }, folded(url.slice(to), 300)));
  }

  private scrollTo(state: number | null): void {
    const node = state === null ? undefined : this.drawing?.nodes[state];
    if (!node) return;
    const { clientWidth, clientHeight } = this.picture;
    const smooth = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.picture.scrollTo({ left: node.x - clientWidth / 2, top: node.y - clientHeight / 2, behavior: smooth ? "smooth" : "auto" });
  }

  private play(): void {
    if (this.timer !== undefined) {
      this.pause();
      return;
    }
    const last = this.automaton?.walk?.steps.length ?? 0;
    if (last === 0) return;
    if (this.step >= last) this.go(0);
    this.buttons.play.textContent = "Pause";
    this.timer = setInterval(() => this.go(this.step + 1), STEP_MS);
  }

  private pause(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.buttons.play.textContent = "Play";
  }
}

/** Which of the edges between two states a byte takes. */
function edgeTaken(automaton: Automaton, from: number | null, step: WalkStep): typeof OWN | "otherwise" {
  const transitions = from === null ? [] : automaton.states[from]!.transitions;
  const has = transitions.some(({ bytes }) => bytes.ranges.some(([first, last]) => first <= step.byte && step.byte <= last));
  return has ? OWN : "otherwise";
}

/** How large the automaton is, and what of it is drawn. */
export function sizeNote(automaton: Automaton): string {
  const { state_count, whole, states, walk } = automaton;
  if (whole) return `${count(states.length, "state")}, all of them drawn.`;
  const all = state_count === null ? "more than 65,536 states" : count(state_count, "state");
  const part = walk ? "the walk of the URL and the states around it" : "those nearest to the start";
  return `This automaton has ${all}, too many for a picture. Drawn: ${part}, ${states.length} in all. An arrow that ends in nothing leads to a state that is not drawn.`;
}
