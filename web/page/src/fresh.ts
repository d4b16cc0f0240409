/** Marks answers that are older than the question. */

import { byId } from "./dom.js";

/** Answers that come sooner are not marked before. */
const PATIENCE_MS = 150;

/** Says so if an answer in view is out of date. */
export function sayOutdated(): void {
  byId("outdated").hidden = document.querySelector(".panel:not([hidden]) [aria-busy=true], .strip-content[aria-busy=true]") === null;
}

export class Fresh {
  private readonly elements: HTMLElement[];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(...elements: HTMLElement[]) {
    this.elements = elements;
  }

  /** Something was asked anew, or will be. */
  outdated(): void {
    this.timer ??= setTimeout(() => {
      for (const element of this.elements) element.setAttribute("aria-busy", "true");
      sayOutdated();
    }, PATIENCE_MS);
  }

  /** The answer is there. */
  answered(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const element of this.elements) element.removeAttribute("aria-busy");
    sayOutdated();
  }
}
