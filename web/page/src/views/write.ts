/** The form that a robots.txt is written from: what the site wants of crawlers. */

import type { BuildFault, Intentions, IntentionsGroup } from "robotsieve";
import type { App, View } from "../app.js";
import { fill, h } from "../dom.js";
import { ofPurpose, purposes } from "../engine/asker.js";
import { count, folded, sentence } from "../engine/shown.js";
import type { GivenWishes } from "../link.js";

const NOTHING = "nothing";
/** What crawlers may read, by the value of a list. */
const PATHS = ["paths", "all but the paths below"] as const;
const SHUT = [NOTHING, "nothing"] as const;

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const listed = (text: string, separator: string) => text.split(separator).map((part) => part.trim()).filter((part) => part !== "");

const isBlank = (control: Control) => (control instanceof HTMLSelectElement ? control.selectedIndex === 0 : control.value === "");

export class WriteView implements View {
  private readonly controls = new Map<string, Control>();
  private readonly titles = new Map<Control, string>();
  private readonly result = h("div", { "class": "written", "aria-live": "polite" });
  /** The editor's version that has what was written last. */
  private version = -1;

  /** `settled` is called before a file is written; `onTyped` when something was filled in. */
  constructor(private readonly app: App, panel: HTMLElement, settled: () => void, private readonly onTyped: () => void) {
    const onsubmit = (event: Event) => {
      event.preventDefault();
      settled();
      void this.write();
    };
    const form = h("form", { class: "wishes", onsubmit },
      h("fieldset", {}, h("legend", {}, "What crawlers may read"),
        h("div", { class: "questions" },
          purposes().map(({ purpose, title, description }) =>
            this.choice(purpose, title, `${description}: ${count(ofPurpose(purpose).length, "known crawler")}`, ["", "like everybody else"], PATHS, SHUT)),
          this.choice("others", "Everybody else", "Also those that nobody knows yet", PATHS, SHUT))),
      h("fieldset", {}, h("legend", {}, "Crawlers by name"),
        h("div", { class: "questions" },
          this.field("open", "They may read all but the paths below", "input", "Googlebot, bingbot"),
          this.field("shut", "They may read nothing", "input", "GPTBot, FooBot"))),
      h("fieldset", {}, h("legend", {}, "Paths"),
        h("div", { class: "questions" },
          this.field("disallow", "Nobody may read", "textarea", "/cart\n/*?sort=", "One a line, as they begin. * is any text, a final $ the end of the URL."),
          this.field("allow", "But they may read", "textarea", "/cart/help", "Below those paths."))),
      this.field("sitemap", "Sitemaps", "textarea", "https://example.com/sitemap.xml", "Whole addresses, one a line."),
      h("div", { class: "row" }, h("button", { class: "primary" }, "Write robots.txt"),
        h("span", { class: "hint" }, "It takes the place of the file in the editor, which Undo brings back.")));
    fill(panel,
      h("div", { class: "section-head" }, h("h3", {}, "Write a robots.txt")),
      h("p", { class: "hint" }, "Say what you want of crawlers, and get the shortest file that says it, once it is proven that crawlers read it so."),
      form, this.result);
  }

  private labelled(name: string, title: string, control: Control, hint?: string, kind = "field"): HTMLElement {
    const id = `write-${name}`;
    control.id = id;
    control.addEventListener("input", () => {
      this.forget();
      this.onTyped();
    });
    this.controls.set(name, control);
    this.titles.set(control, title);
    if (hint !== undefined) control.setAttribute("aria-describedby", `${id}-hint`);
    return h("div", { class: kind },
      h("label", { for: id }, title), control, hint !== undefined && h("p", { class: "hint", id: `${id}-hint` }, hint));
  }

  private choice(name: string, title: string, hint: string, ...choices: (readonly [string, string])[]): HTMLElement {
    const control = h("select", {}, choices.map(([value, words]) => h("option", { value }, words)));
    return this.labelled(name, title.charAt(0).toUpperCase() + title.slice(1), control, hint, "field choice");
  }

  private field(name: string, title: string, kind: "input" | "textarea", placeholder: string, hint?: string): HTMLElement {
    const control = h(kind, { placeholder, rows: kind === "textarea" && "3", spellcheck: "false", autocapitalize: "off", autocomplete: "off", list: kind === "input" && "known-tokens" });
    return this.labelled(name, title, control, hint);
  }

  private value(name: string): string {
    return this.controls.get(name)!.value;
  }

  /** What is filled in. `null`: nothing. */
  get given(): GivenWishes | null {
    const filled = [...this.controls].filter(([, control]) => !isBlank(control)).map(([name, { value }]) => [name, value]);
    return filled.length === 0 ? null : Object.fromEntries(filled) as GivenWishes;
  }

  load(given: GivenWishes | null): void {
    for (const [name, control] of this.controls) {
      control.value = given?.[name] ?? "";
      if (control instanceof HTMLSelectElement && control.selectedIndex < 0) control.selectedIndex = 0;
    }
    this.forget();
  }

  update(): void {
    if (this.version >= 0 && this.version !== this.app.editor.version) this.forget();
  }

  /** What was said of the last file is no longer about what is here. */
  private forget(): void {
    this.version = -1;
    fill(this.result);
    for (const control of this.controls.values()) control.removeAttribute("aria-invalid");
  }

  /** What is wanted, and for each group whose control chose it. */
  private wanted(): { intentions: Intentions; whose: Control[] } {
    const lines = (name: string) => listed(this.value(name), "\n");
    const [disallow, allow, sitemap] = [lines("disallow"), lines("allow"), lines("sitemap")];
    const whose: Control[] = [];
    const group = (name: string, crawlers: string | string[], may: string): IntentionsGroup[] => {
      if (may === "" || crawlers.length === 0) return [];
      whose.push(this.controls.get(name)!);
      return [{ crawlers, ...(may === NOTHING ? { disallow: "/" } : { allow, disallow }) }];
    };
    const named = (name: string, may: string) => group(name, listed(this.value(name), ","), may);
    const groups = [
      ...purposes().flatMap(({ purpose }) => group(purpose, `@${purpose}`, this.value(purpose))),
      ...named("open", PATHS[0]), ...named("shut", NOTHING), ...group("others", "*", this.value("others")),
    ];
    return { intentions: { groups, sitemap }, whose };
  }

  private async write(): Promise<void> {
    const { app } = this;
    const { version } = app.editor;
    const { intentions, whose } = this.wanted();
    const reply = await app.ask("write", intentions);
    if (!reply || !("answer" in reply) || version !== app.editor.version) return;
    this.forget();
    const written = reply.answer;
    if ("faults" in written) {
      this.tell(written.faults, whose);
      return;
    }
    const { text, profiles, notes } = written;
    if (text === app.editor.text) app.say("The editor has this file already.", "note");
    else {
      app.editor.scrollTo(app.editor.changeText(text), "nearest");
      const changed = app.editor.version;
      app.say("The file was written into the editor.", "note", { undo: () => app.editor.undo(), holds: () => app.editor.version === changed });
    }
    this.version = app.editor.version;
    const proven = `proven: read by ${new Intl.ListFormat("en-GB").format(profiles)}, it lets crawlers read what you want`;
    fill(this.result,
      h("ul", { class: "sentences" }, [proven, ...notes].map((said) => h("li", {}, sentence(said)))),
      h("details", {}, h("summary", {}, "Keep what you want, and not only the file"),
        h("p", { class: "hint" }, "Saved as intentions.json, the command writes the same file of it: ", h("code", {}, "robotsieve write intentions.json"), "; with ", h("code", {}, "--check"), " it tells when new crawlers are known."),
        h("pre", { "class": "intentions", "tabindex": "0", "aria-label": "What you want, as JSON" }, JSON.stringify(intentions, null, 2))));
  }

  /** Says what cannot be written, beside the control to mend. */
  private tell(faults: readonly BuildFault[], whose: readonly Control[]): void {
    const said = new Map<string, Control | undefined>();
    for (const { place, message } of faults) said.set(message, this.origin(place, whose));
    for (const control of said.values()) control?.setAttribute("aria-invalid", "true");
    fill(this.result, h("ul", { class: "sentences problem" }, [...said].map(([message, control]) =>
      h("li", {}, control && [h("button", { type: "button", class: "go", onclick: () => control.focus() }, this.titles.get(control)), ": "],
        folded(sentence(message))))));
  }

  /** The control that has a place of the intentions, such as `groups[0].disallow[1]`. */
  private origin(place: string, whose: readonly Control[]): Control | undefined {
    const [, group, field = place.replace(/\[.*/, "")] = /^groups\[(\d+)\]\.?(\w*)/.exec(place) ?? [];
    const by = group === undefined ? undefined : whose[Number(group)];
    const isOwn = by !== undefined && (by.value === NOTHING || !["allow", "disallow"].includes(field));
    return isOwn ? by : this.controls.get(field);
  }
}
