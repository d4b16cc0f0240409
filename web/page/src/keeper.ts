/** Keeps the state of the page in this tab's storage, so that a reload or a way back loses nothing. */

import { asText, type State, stateOf } from "./link.js";

const KEY = "robotsieve";

/** In characters. Writing more takes so long that typing would wait, so that is done when the page is left. */
const MAX_CHARS = 1_000_000;

const QUIET_MS = 800;

export interface Kept {
  state: State;
  /** The fragment that the address had. */
  fragment: string;
  /** Whether it is more than an example or a link that was opened. */
  isOwn: boolean;
}

export class Keeper {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isAsking = false;

  constructor(private readonly now: () => Kept, private readonly size: () => number) {
    addEventListener("pagehide", () => this.save());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.save();
    });
  }

  static kept(): Kept | null {
    try {
      const [about = "", state = ""] = sessionStorage.getItem(KEY)?.split("\n") ?? [];
      const { fragment, isOwn } = JSON.parse(about) as Record<string, unknown>;
      return { state: stateOf(state), fragment: String(fragment), isOwn: isOwn === true };
    } catch {
      return null; // Nothing, no storage, or what another version of the page kept.
    }
  }

  /** The state changed. */
  touch(): void {
    this.ask(true);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.size() > MAX_CHARS) return;
      if ("requestIdleCallback" in globalThis) requestIdleCallback(() => this.save(), { timeout: 2000 });
      else this.save();
    }, QUIET_MS);
  }

  private save(): boolean {
    clearTimeout(this.timer);
    try {
      const { state, fragment, isOwn } = this.now();
      // Two lines of JSON.
      sessionStorage.setItem(KEY, `${JSON.stringify({ fragment, isOwn })}\n${asText(state)}`);
      this.ask(false);
      return true;
    } catch {
      // No storage, or no room. What is older must not come back in its place.
      try {
        sessionStorage.removeItem(KEY);
      } catch {
        // As it is.
      }
      return false;
    }
  }

  /** Whether leaving has to wait until the state is kept. Only then, since browsers store no page that asks. */
  private ask(isOn: boolean): void {
    if (isOn === this.isAsking) return;
    this.isAsking = isOn;
    if (isOn) addEventListener("beforeunload", this.leaving);
    else removeEventListener("beforeunload", this.leaving);
  }

  private readonly leaving = (event: BeforeUnloadEvent) => {
    if (!this.save() && this.now().isOwn) event.preventDefault();
  };
}
