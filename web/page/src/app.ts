/** What the parts of the page share: the state, the workers, and what is said to the reader. */

import type { ProfileName } from "robotsieve";
import type { Asker, Known } from "./engine/asker.js";
import { Client, type Context, NoAnswer, type NumberedText, TIMEOUT_SECONDS } from "./engine/client.js";
import type { Kind, Questions } from "./engine/protocol.js";
import type { Editor } from "./editor.js";
import type { Tab } from "./link.js";
import { byId, fill, h } from "./dom.js";
import { sayOutdated } from "./fresh.js";

/** What changed, so that views ask again only if they have to. */
export type Change = "file" | "before" | "profile" | "askers" | "urls" | "selected" | "tab";

const CONTENT: readonly Change[] = ["file", "before", "profile", "askers", "urls"];

/** Which cell of the table is explained. */
export interface Selected {
  asker: Asker;
  url: string;
}

export interface View {
  /** The file is being changed: what is shown is about the old one. */
  outdated?(): void;
  /** Takes what was typed, if typing has not paused since. */
  settled?(): void;
  update(changes: ReadonlySet<Change>): void;
}

/** `null`: the answer is no longer of use, or why there is none was said already. */
export type Reply<T> = { answer: T } | { problem: string } | null;

const AT_WORK: Record<Kind, string> = {
  table: "Judging the URLs",
  members: "Judging the crawlers",
  why: "Explaining the verdict",
  lint: "Looking for mistakes",
  findings: "Looking for mistakes",
  fixed: "Fixing the file",
  block: "Shutting crawlers out",
  diff: "Comparing the files",
  machine: "Building the automaton",
  crawlers: "Judging the known crawlers",
  rights: "Reading the rights",
  write: "Writing the file",
  utf16: "Reading the file",
};

/** Questions about many crawlers or the whole file have a worker of their own: verdicts do not wait for them. */
const SLOW: ReadonlySet<Kind> = new Set<Kind>(["lint", "findings", "fixed", "block", "write", "diff", "crawlers"]);

export class App {
  editor!: Editor;
  /** The editor's text when it was last quiet. */
  file: NumberedText = { id: 0, text: "" };
  /** The editor's version that has this text. */
  fileVersion = 0;
  /** The older file of the comparison. */
  before: NumberedText = { id: 0, text: "" };
  profile: ProfileName = "rfc9309";
  askers: Asker[] = [];
  urls: string[] = [];
  tab: Tab = "urls";
  selected: Selected | null = null;

  private readonly views: View[] = [];
  private readonly fast: Client;
  private readonly slow: Client;

  /** `onReady`: called each time a worker is ready, or with the reason why it cannot be used. */
  constructor(module: WebAssembly.Module, worker: string, onReady: (known: Known | Error) => void) {
    const client = (what: string, place: "fast" | "slow"): Client =>
      new Client({
        what, script: worker, module, onReady,
        onBusy: (kind) => this.showBusy(place, kind),
        onTimeout: (kind) => {
          this.say(`${AT_WORK[kind]} took more than ${TIMEOUT_SECONDS} seconds and was stopped. Shorten the file, or what is asked.`, "error");
        },
      });
    this.fast = client("verdicts", "fast");
    this.slow = client("analysis", "slow");
  }

  add(view: View): void {
    this.views.push(view);
  }

  changed(...changes: Change[]): void {
    const set = new Set(changes);
    if ((set.has("askers") || set.has("urls")) && this.selectsAnother()) set.add("selected");
    const content = CONTENT.filter((change) => set.has(change));
    if (this.holds && content.length > 0 && !this.holds(content)) this.closeNotice();
    for (const view of this.views) view.update(set);
    if (set.has("tab")) sayOutdated();
  }

  outdated(): void {
    for (const view of this.views) view.outdated?.();
  }

  settled(): void {
    for (const view of this.views) view.settled?.();
  }

  private urlsBefore: string[] = [];

  /** If the crawler or the URL of the verdict that is explained is gone, another is explained, or none. */
  private selectsAnother(): boolean {
    const { selected, askers, urls, urlsBefore } = this;
    this.urlsBefore = urls;
    if (!selected) return false;
    const [hasAsker, hasUrl] = [askers.includes(selected.asker), urls.includes(selected.url)];
    if (hasAsker && hasUrl) return false;
    const asker = hasAsker ? selected.asker : askers[0];
    // A URL that is being edited is followed.
    const place = urls.length === urlsBefore.length ? urlsBefore.indexOf(selected.url) : 0;
    const url = hasUrl ? selected.url : urls[Math.max(0, place)];
    this.selected = asker && url !== undefined ? { asker, url } : null;
    return true;
  }

  /** Asks a worker. An answer about a text, profile or time that is past is dropped. */
  async ask<K extends Kind>(kind: K, ask: Questions[K]["ask"]): Promise<Reply<Questions[K]["answer"]>> {
    const { file, before, profile } = this;
    const context: Context = kind === "diff" ? { file, before, profile } : { file, profile };
    const isCurrent = () =>
      file.id === this.file.id && profile === this.profile && (kind !== "diff" || before.id === this.before.id);
    try {
      const answer = await (SLOW.has(kind) ? this.slow : this.fast).ask(kind, ask, context);
      return isCurrent() ? { answer } : null;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (error.reason === "refused") return isCurrent() ? { problem: error.message } : null;
      if (error.reason === "failed") this.say(`${AT_WORK[kind]} failed: ${error.message}`, "error");
      if (error.reason === "stopped") {
        this.say(`${AT_WORK[kind]} was stopped. It begins again when you change the file or the question.`, "note");
      }
      return null;
    }
  }

  /** Whether the message is still true: asked when something changes. */
  private holds: ((changes: Change[]) => boolean) | null = null;

  /**
   * A message. It goes when it is closed, when another takes its place, and with the first change after which it does not
   * hold: any, unless `holds` says otherwise.
   */
  say(text: string, kind: "note" | "error", { undo, holds }: { undo?: () => void; holds?: () => boolean } = {}): void {
    // An edit is a change only when typing has paused, which may be after the message.
    const { version } = this.editor;
    this.holds = holds ?? ((changes) => changes.every((change) => change === "file" && this.editor.version === version));
    const close = h("button", { "type": "button", "class": "quiet", "aria-label": "Close this message", "onclick": () => this.closeNotice() }, "×");
    const back = undo && h("button", {
      type: "button", onclick: () => {
        undo();
        // The button is gone: the focus goes to what is said in its place.
        byId("notice").focus();
      },
    }, "Undo");
    fill(byId("notice"), h("div", { class: `notice notice-${kind}`, role: kind === "error" ? "alert" : null }, h("p", {}, text), back, close));
  }

  private closeNotice(): void {
    this.holds = null;
    fill(byId("notice"));
  }

  /** Tells screen readers; everybody else sees it already. */
  announce(text: string): void {
    byId("announcer").textContent = text;
  }

  private readonly busy = { fast: null as Kind | null, slow: null as Kind | null };

  private showBusy(place: "fast" | "slow", kind: Kind | null): void {
    this.busy[place] = kind;
    const stop = (client: Client) => h("button", { type: "button", onclick: () => client.stop() }, "Stop");
    const lines = [[this.busy.fast, this.fast], [this.busy.slow, this.slow]] as const;
    const shown = lines.flatMap(([kind, client]) =>
      kind ? [h("p", {}, h("span", { "class": "spinner", "aria-hidden": "true" }), `${AT_WORK[kind]} …`, stop(client))] : [],
    );
    fill(byId("busy"), shown);
  }
}
