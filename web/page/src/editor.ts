/** The editor of a robots.txt. */

import { defaultKeymap, history, historyKeymap, undo } from "@codemirror/commands";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, RangeSetBuilder, StateEffect, StateField, Text, Transaction } from "@codemirror/state";
import {
  Decoration, type DecorationSet, drawSelection, EditorView, gutter, GutterMarker, highlightActiveLineGutter,
  highlightSpecialChars, hoverTooltip, keymap, lineNumbers, ViewPlugin, type ViewUpdate,
} from "@codemirror/view";
import type { Span } from "robotsieve";
import { tokens } from "./highlight.js";

/** In index.html's policy too: CodeMirror writes a style element. */
const NONCE = "codemirror";

/** A part of the file that an answer is about. */
export interface Mark {
  kind: "winner" | "runner-up" | "group" | "winner-piece";
  span: Span;
}

/** Findings by number. */
export interface Underlines {
  from: Int32Array;
  to: Int32Array;
  severity: Uint8Array;
}

/** What is scrolled to has so many pixels above and below. */
const NEAR = 60;

const SEVERITY = ["note", "warning", "error"] as const;

// ---- colours: of what can be seen only, so the size of the file plays no part ------------------------------------------

const COLOURS = {
  agent: Decoration.mark({ class: "tok-agent" }),
  allow: Decoration.mark({ class: "tok-allow" }),
  disallow: Decoration.mark({ class: "tok-disallow" }),
  other: Decoration.mark({ class: "tok-other" }),
  value: Decoration.mark({ class: "tok-value" }),
  wildcard: Decoration.mark({ class: "tok-wildcard" }),
  comment: Decoration.mark({ class: "tok-comment" }),
};

/** A line is coloured up to here: longer ones are no rules of people. */
const COLOURED_CHARS = 2_000;

function coloured(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let last = -1;
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      if (line.number > last) {
        last = line.number;
        // Not `line.text.slice`: what lies beyond is never made.
        const text = view.state.sliceDoc(line.from, Math.min(line.to, line.from + COLOURED_CHARS));
        for (const token of tokens(text)) {
          if (token.to > token.from) builder.add(line.from + token.from, line.from + token.to, COLOURS[token.kind]);
        }
      }
      at = line.to + 1;
    }
  }
  return builder.finish();
}

const colours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = coloured(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged) this.decorations = coloured(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

// ---- findings -------------------------------------------------------------------------------------------------------

class FindingMark extends GutterMarker {
  constructor(private readonly severity: number) {
    super();
  }
  override eq(other: FindingMark): boolean {
    return other.severity === this.severity;
  }
  override toDOM(): Node {
    const element = document.createElement("span");
    element.className = `finding-mark finding-mark-${SEVERITY[this.severity]}`;
    // A sign for each, so that colour is not all that tells them apart.
    element.textContent = ["i", "!", "×"][this.severity]!;
    return element;
  }
}

const MARKERS = SEVERITY.map((_, severity) => new FindingMark(severity));

/** The findings, their places moved along with the text. */
type Placed = Pick<Underlines, "from" | "to" | "severity">;

const setFindings = StateEffect.define<Underlines | null>();

const findingsField = StateField.define<Placed | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setFindings)) return effect.value && placed(transaction.newDoc, effect.value);
    }
    if (!transaction.docChanged || !value) return value;
    const { changes } = transaction;
    const { severity } = value;
    return {
      from: value.from.map((at) => changes.mapPos(at, 1)), to: value.to.map((at) => changes.mapPos(at, -1)), severity,
    };
  },
});

function placed(doc: Text, { from, to, severity }: Underlines): Placed {
  const inside = (at: number) => Math.min(at, doc.length);
  return { from: from.map(inside), to: to.map(inside), severity };
}

/** The numbers of the findings at a place. Thousands are looked through in less time than a tree of them is built. */
function findingsBetween(state: EditorState, from: number, to: number): number[] {
  const value = state.field(findingsField, false);
  const numbers: number[] = [];
  for (let number = 0; number < (value?.from.length ?? 0); number++) {
    if (value!.from[number]! <= to && value!.to[number]! >= from) numbers.push(number);
  }
  return numbers;
}

const UNDERLINES = SEVERITY.map((severity) => Decoration.mark({ class: `finding finding-${severity}` }));

/** Only those in view are drawn. */
function underlined(view: EditorView): DecorationSet {
  const { state } = view;
  const value = state.field(findingsField);
  if (!value) return Decoration.none;
  const ranges = view.visibleRanges.flatMap((visible) =>
    findingsBetween(state, visible.from, visible.to).flatMap((number) => {
      let [start, end] = [value.from[number]!, value.to[number]!];
      // A place between characters: the line it is on is underlined.
      if (start >= end) ({ from: start, to: end } = state.doc.lineAt(start));
      return start < end ? [UNDERLINES[value.severity[number]!]!.range(start, end)] : [];
    }));
  return Decoration.set(ranges, true);
}

const hasNewFindings = (update: ViewUpdate) => update.startState.field(findingsField) !== update.state.field(findingsField);

const underlines = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = underlined(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged || hasNewFindings(update)) this.decorations = underlined(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

const findingGutter = gutter({
  class: "finding-gutter",
  lineMarker(view, line) {
    const value = view.state.field(findingsField);
    if (!value) return null;
    const numbers = findingsBetween(view.state, line.from, line.to).filter((number) => value.from[number]! >= line.from);
    if (numbers.length === 0) return null;
    return MARKERS[Math.max(...numbers.map((number) => value.severity[number]!))]!;
  },
  lineMarkerChange: hasNewFindings,
});

// ---- marks of an answer -------------------------------------------------------------------------------------------

const setMarks = StateEffect.define<readonly Mark[]>();

const MARK_STYLES = {
  "winner": Decoration.line({ class: "mark-winner" }),
  "runner-up": Decoration.line({ class: "mark-runner-up" }),
  "group": Decoration.line({ class: "mark-group" }),
  "winner-piece": Decoration.mark({ class: "mark-piece" }),
};

const marksField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    let marks = transaction.docChanged ? value.map(transaction.changes) : value;
    for (const effect of transaction.effects) {
      if (!effect.is(setMarks)) continue;
      const { doc } = transaction.state;
      const ranges = effect.value.flatMap(({ kind, span }) => {
        const [start, end] = [Math.min(span[0], doc.length), Math.min(span[1], doc.length)];
        if (kind === "winner-piece") return start < end ? [MARK_STYLES[kind].range(start, end)] : [];
        return [MARK_STYLES[kind].range(doc.lineAt(start).from)];
      });
      marks = Decoration.set(ranges, true);
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// ---- the editor -----------------------------------------------------------------------------------------------------

export interface EditorOptions {
  label: string;
  description?: string;
  placeholder?: string;
  onChange(): void;
  /** The cursor came to another line. */
  onLine?(): void;
  /** What a tooltip says of findings. */
  tooltip?(numbers: number[]): Promise<HTMLElement | null>;
}

export class Editor {
  readonly view: EditorView;
  /** Changes with each change of the text. */
  version = 0;
  /** The place that is to be scrolled to within the editor, the window staying where it is. */
  private inside: { at: number; y: "start" | "center" | "nearest" } | null = null;

  constructor(parent: HTMLElement, private readonly options: EditorOptions) {
    this.view = new EditorView({ parent, state: EditorState.create({ extensions: this.extensions() }) });
  }

  private extensions(): Extension {
    const { options } = this;
    const attributes: Record<string, string> = {
      "aria-label": options.label, "autocapitalize": "off", "autocorrect": "off", "spellcheck": "false", "tabindex": "0",
    };
    if (options.description) attributes["aria-describedby"] = options.description;
    const extensions: Extension[] = [
      EditorView.cspNonce.of(NONCE),
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightSpecialChars(),
      history(),
      drawSelection(),
      EditorView.lineWrapping,
      search({ top: true }),
      highlightSelectionMatches({ maxMatches: 100 }),
      // Tab leaves the editor, as it leaves every other field: nobody is trapped in it.
      keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
      EditorView.contentAttributes.of(attributes),
      // Chromium, left to replace several lines by a letter, writes style attributes, which the page's policy forbids.
      EditorView.domEventHandlers({
        beforeinput(event, view) {
          const isPlain = event.inputType === "insertText" && event.data !== null && !view.composing;
          if (!isPlain || view.state.selection.main.empty) return false;
          view.dispatch(view.state.replaceSelection(event.data!), { userEvent: "input.type", scrollIntoView: true });
          event.preventDefault();
          return true;
        },
      }),
      colours,
      marksField,
      EditorView.scrollHandler.of((view, range) => {
        const { inside } = this;
        this.inside = null;
        if (!inside || inside.at !== range.head) return false;
        // The layout that the view knows cannot be read here; the document's can.
        const { node } = view.domAtPos(inside.at);
        const line = (node instanceof Element ? node : node.parentElement)?.closest(".cm-line");
        if (!line) return true;
        const [place, box] = [line.getBoundingClientRect(), view.scrollDOM.getBoundingClientRect()];
        const [above, below] = [place.top - box.top, Math.min(place.bottom, place.top + NEAR) - box.bottom];
        // Only the first line is scrolled to the start: with the space above it.
        if (inside.y === "start") view.scrollDOM.scrollTop = 0;
        else if (inside.y === "center") view.scrollDOM.scrollTop += (above + below) / 2;
        else if (above < NEAR) view.scrollDOM.scrollTop += above - NEAR;
        else if (below > -NEAR) view.scrollDOM.scrollTop += below + NEAR;
        return true;
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) {
          this.version += 1;
          options.onChange();
        }
        const line = (state: EditorState) => state.doc.lineAt(state.selection.main.head).number;
        if (update.docChanged || (update.selectionSet && line(update.startState) !== line(update.state))) options.onLine?.();
      }),
    ];
    const { tooltip } = options;
    if (tooltip) {
      extensions.push(
        findingsField,
        underlines,
        findingGutter,
        hoverTooltip(async (view, at) => {
          const numbers = findingsBetween(view.state, at, at);
          const dom = numbers.length > 0 ? await tooltip(numbers) : null;
          return dom ? { pos: at, above: true, create: () => ({ dom }) } : null;
        }),
      );
    }
    return extensions;
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  get length(): number {
    return this.view.state.doc.length;
  }

  /** Puts another text in its place. Can be undone, unless it is the first. */
  setText(text: string): void {
    const { doc } = this.view.state;
    const next = Text.of(text.split(/\r\n?|\n/));
    if (doc.eq(next)) return;
    this.view.dispatch({
      changes: { from: 0, to: doc.length, insert: next }, selection: { anchor: 0 }, userEvent: "input.replace",
      annotations: Transaction.addToHistory.of(this.version > 0),
    });
    this.scrollTo(0, "start");
  }

  /**
   * Puts another text in its place, but only what differs changes, so the cursor and the marks stay. Can be undone. Returns
   * where the change begins.
   */
  changeText(text: string): number {
    const old = this.text;
    let from = 0;
    const least = Math.min(old.length, text.length);
    while (from < least && old[from] === text[from]) from += 1;
    let end = 0;
    while (end < least - from && old[old.length - 1 - end] === text[text.length - 1 - end]) end += 1;
    this.view.dispatch({
      changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) }, userEvent: "input.fix",
    });
    return from;
  }

  /** One change. Can be undone. */
  change([from, to]: Span, replacement: string): void {
    this.view.dispatch({
      changes: { from, to, insert: replacement }, userEvent: "input.fix",
    });
    this.scrollTo(from, "nearest");
  }

  /** Takes the newest change back. */
  undo(): void {
    undo(this.view);
  }

  setFindings(findings: Underlines | null): void {
    this.view.dispatch({ effects: setFindings.of(findings) });
  }

  setMarks(marks: readonly Mark[]): void {
    this.view.dispatch({ effects: setMarks.of(marks) });
  }

  /** Where the cursor is. */
  get cursor(): { line: number } {
    const { state } = this.view;
    return { line: state.doc.lineAt(state.selection.main.head).number };
  }

  /** The findings on the line of the cursor. */
  findingsAtCursor(): number[] {
    const { state } = this.view;
    const line = state.doc.lineAt(state.selection.main.head);
    return findingsBetween(state, line.from, line.to);
  }

  /** Scrolls there within the editor. The window and the focus stay where they are. */
  scrollTo(position: number, y: "start" | "center" | "nearest" = "center"): void {
    const at = Math.min(position, this.length);
    this.inside = { at, y };
    this.view.dispatch({ effects: EditorView.scrollIntoView(at, { y }) });
  }

  /** Puts the cursor at the beginning of a line, and the focus into the editor. */
  goToLine(number: number): void {
    const { doc } = this.view.state;
    const line = doc.line(Math.max(1, Math.min(number, doc.lines)));
    this.inside = null;
    this.view.dispatch({ selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: "center" }) });
    this.view.focus();
  }
}
