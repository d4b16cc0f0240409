/** The page: puts its parts together. */

import type { ProfileName } from "robotsieve";
import { App } from "./app.js";
import { blocking } from "./block.js";
import { fromCommand } from "./command.js";
import { byId, fill, h } from "./dom.js";
import { Editor } from "./editor.js";
import { type Known, setKnown } from "./engine/asker.js";
import { EXAMPLES, type Example } from "./examples.js";
import { copyFile, openFile, saveFile, sayOpened } from "./files.js";
import { Keeper } from "./keeper.js";
import { asText, isSameWork, LinkError, read, type State, type Tab, TABS, whereItWorks, written } from "./link.js";
import { PROFILE_NAMES, PROFILE_NOTES, PROFILE_TITLES } from "./profiles.js";
import { robotsUrl } from "./urls.js";
import { AutomatonView } from "./views/automaton.js";
import { CompareView } from "./views/compare.js";
import { CrawlersView } from "./views/crawlers.js";
import { FindingsView } from "./views/findings.js";
import { RightsView } from "./views/rights.js";
import { UrlsView } from "./views/urls.js";
import { WriteView } from "./views/write.js";

/** Files from here on are looked at when typing has paused for longer. */
const LARGE = 100_000;

async function fetched(url: URL): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname}: ${response.status} ${response.statusText}`);
  return response;
}

async function compiled(url: URL): Promise<WebAssembly.Module> {
  // `compileStreaming` would need servers to know the type of .wasm files.
  return WebAssembly.compile(await (await fetched(url)).arrayBuffer());
}

async function begin(): Promise<void> {
  theme();
  const here = new URL(".", import.meta.url);
  const module = await compiled(new URL("robotsieve.wasm", here));
  const made: { app?: App } = {};
  const known = await new Promise<Known | Error>((resolve) => {
    made.app = new App(module, new URL("worker.js", here).href, resolve);
  });
  const app = made.app!;
  if (known instanceof Error) throw known;
  setKnown(known);

  let timer: ReturnType<typeof setTimeout> | undefined;
  let keeper: Keeper | undefined;
  const settle = () => {
    clearTimeout(timer);
    app.file = { id: app.file.id + 1, text: app.editor.text };
    app.fileVersion = app.editor.version;
    app.changed("file");
    if (/^\s*https?:\/\/\S+\s*$/i.test(app.file.text) && robotsUrl(app.file.text) !== null) {
      showSite(app.file.text.trim());
      app.say("This is the address of a file, and not the file: see Get the robots.txt of a site, below the editor.", "note");
    }
  };
  /** For buttons that are pressed before typing has paused. */
  const settled = () => {
    if (app.fileVersion !== app.editor.version) settle();
    app.settled();
  };
  const findings: { view: FindingsView | null } = { view: null };
  app.editor = new Editor(byId("editor"), {
    label: "robots.txt", description: "editor-hint",
    onChange: () => {
      app.outdated();
      keeper?.touch();
      clearTimeout(timer);
      timer = setTimeout(settle, app.editor.length > LARGE ? 600 : 180);
    },
    onLine: () => void findings.view?.drawStrip(),
    tooltip: async (numbers) => findings.view?.tooltip(numbers) ?? null,
  });

  const urls = new UrlsView(app, byId("panel-urls"));
  findings.view = new FindingsView(app, byId("panel-findings"), byId("strip"), byId("findings-badge"));
  const rights = new RightsView(app, byId("panel-rights"), () => edited());
  const compare = new CompareView(app, byId("panel-compare"), () => keeper?.touch());
  const wishes = new WriteView(app, byId("panel-write"), settled, () => edited());
  const automaton = new AutomatonView(app, byId("panel-automaton"));
  const crawlersView = new CrawlersView(app, byId("panel-crawlers"));
  for (const view of [urls, findings.view, rights, compare, wishes, automaton, crawlersView]) app.add(view);

  const tabs = tabList((tab) => {
    app.tab = tab;
    app.changed("tab");
  });
  document.addEventListener("show-automaton", () => {
    tabs.show("automaton", true);
  });

  const profile = byId<HTMLSelectElement>("profile");
  fill(profile, PROFILE_NAMES.map((name) => h("option", { value: name }, PROFILE_TITLES[name])));
  const noteProfile = () => {
    byId("profile-note").textContent = PROFILE_NOTES[app.profile];
  };
  profile.addEventListener("change", () => {
    app.profile = profile.value as ProfileName;
    noteProfile();
    app.changed("profile");
  });

  const load = (state: State) => {
    app.editor.setText(state.file);
    clearTimeout(timer);
    app.file = { id: app.file.id + 1, text: app.editor.text };
    app.fileVersion = app.editor.version;
    compare.load(state.before ?? "");
    app.profile = state.profile;
    profile.value = state.profile;
    noteProfile();
    app.askers = state.askers;
    urls.load(state.urls);
    const [asker, url] = [state.askers[state.shown?.asker ?? -1], app.urls[state.shown?.url ?? -1]];
    app.selected = asker && url !== undefined ? { asker, url } : null;
    app.tab = state.tab;
    tabs.show(state.tab, false);
    app.changed("file", "before", "profile", "askers", "urls", "selected");
    rights.load(state.rights);
    wishes.load(state.wishes);
    app.changed("tab");
  };
  const stateNow = (): State => {
    const { selected } = app;
    const shown = selected
      ? { asker: app.askers.findIndex((asker) => asker === selected.asker), url: app.urls.indexOf(selected.url) }
      : null;
    return {
      file: app.editor.text, before: compare.editor.length > 0 ? compare.editor.text : null, profile: app.profile,
      askers: app.askers, urls: urls.urlsText, tab: app.tab, shown: shown && shown.asker >= 0 && shown.url >= 0 ? shown : null,
      rights: rights.given, wishes: wishes.given,
    };
  };
  const stateOfExample = (example: Example): State => ({
    file: example.file, before: example.before ?? null, profile: app.profile, urls: example.urls.join("\n"),
    askers: example.askers, tab: app.tab, shown: example.shown, rights: example.rights ?? null, wishes: null,
  });

  /** What was loaded last, and is nobody's own work. */
  let given: State | null = null;
  /** The state that the link in the address carries. */
  let linked: string | null = null;
  let isFollowing = false;
  const isOwnWork = (state: State) => given === null || !isSameWork(state, given);
  /** Puts another state in place of the one that is here, which can be brought back if it is somebody's work. */
  const replace = (next: State, said: string, isOwn: boolean, previous: State = stateNow(), wasOwn = isOwnWork(previous)) => {
    load(next);
    const now = stateNow();
    given = isOwn ? null : now;
    if (wasOwn && !isSameWork(previous, now)) {
      const undo = () => replace(previous, "What was there before is back.", true);
      app.say(said, "note", { undo, holds: () => !isOwnWork(stateNow()) });
    } else if (isOwn) app.say(said, "note");
    else app.announce(said);
  };
  const loadExample = (example: Example) => replace(stateOfExample(example), "An example was loaded in place of what you had.", false);

  /** Takes the state of the link, if there is one. What is there stays if the link is damaged, or else `instead` is done. */
  const follow = async (take: (state: State) => void, instead = () => {}): Promise<void> => {
    const fragment = location.hash.slice(1);
    // The page's own places are no links.
    if (fragment === "" || document.getElementById(fragment)) return instead();
    try {
      const state = await read(fragment);
      isFollowing = true;
      take(state);
      isFollowing = false;
      linked = asText(stateNow());
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      instead();
      app.say(`${error.message} Nothing was changed here; ask for the link again.`, "error");
    }
  };

  files(app, byId("examples"), loadExample);
  byId("clear").addEventListener("click", () => {
    const nothing: State = { file: "", before: null, profile: app.profile, askers: [], urls: "", tab: app.tab, shown: null, rights: null, wishes: null };
    replace(nothing, "Everything was cleared.", false);
    app.editor.view.focus();
  });
  blocking(app, settled);
  byId("copy-link").addEventListener("click", () => {
    settled();
    void copyLink(app, stateNow, (text) => { linked = text; });
  });
  document.querySelector(".skip")!.addEventListener("click", (event) => {
    event.preventDefault();
    byId("answers").focus();
  });
  const showSite = site();

  const kept = Keeper.kept();
  const fragment = location.hash.slice(1);
  const opened = await fromCommand(here, app);
  if (opened && !(opened instanceof Error)) {
    const state: State = {
      file: opened.text, before: null, profile: app.profile, urls: opened.url, tab: "urls", shown: { asker: 0, url: 0 }, rights: null, wishes: null,
      askers: ["Googlebot", "GPTBot", "*"].map((name) => ({ kind: "names", names: [name] })),
    };
    if (kept?.isOwn) {
      const said = `${opened.name} was opened in place of what you had in this tab.`;
      replace(state, opened.note === null ? said : `${said} ${opened.note}`, false, kept.state, true);
    } else {
      load(state);
      sayOpened(opened, app.editor, app);
    }
    given = stateNow();
    app.announce(`${opened.name} was opened.`);
  } else if (kept && (fragment === "" || fragment === kept.fragment)) {
    load(kept.state);
    given = kept.isOwn ? null : stateNow();
    linked = fragment === "" ? null : asText(stateNow());
  } else {
    const take = (state: State) => {
      if (kept?.isOwn) replace(state, "The link was opened in place of what you had in this tab.", false, kept.state, true);
      else load(state);
      given = stateNow();
    };
    await follow(take, () => {
      load(kept?.state ?? stateOfExample(EXAMPLES[0]!));
      given = kept?.isOwn ? null : stateNow();
    });
  }
  if (opened instanceof Error) app.say(opened.message, "error");
  addEventListener("hashchange", () => void follow((state) => replace(state, "The link was opened.", false)));

  keeper = new Keeper(
    () => {
      const state = stateNow();
      return { state, fragment: location.hash.slice(1), isOwn: isOwnWork(state) };
    },
    () => app.editor.length + compare.editor.length + urls.urlsText.length + rights.length);
  const edited = () => {
    keeper!.touch();
    if (isFollowing || location.hash === "" || asText(stateNow()) === linked) return;
    // The address would show what was, and not what is.
    linked = null;
    history.replaceState(null, "", location.pathname + location.search);
  };
  app.add({ update: edited });
  offline();
  document.documentElement.dataset.ready = "true";
}

/** Opening, dropping, examples, emptying. */
function files(app: App, examples: HTMLElement, loadExample: (example: Example) => void): void {
  const take = async (file: File | undefined) => {
    if (file && (await openFile(file, app.editor, app))) app.announce(`${file.name} was opened.`);
  };
  const open = byId<HTMLInputElement>("open");
  open.addEventListener("change", () => {
    void take(open.files?.[0]);
    open.value = "";
  });
  byId("save").addEventListener("click", () => saveFile(app));
  byId("copy").addEventListener("click", () => void copyFile(app));
  const choose = h("select", { "id": "example", "aria-label": "Load an example" },
    h("option", { value: "" }, "Examples …"), EXAMPLES.map((example, index) => h("option", { value: index }, example.title)));
  choose.addEventListener("change", () => {
    const example = EXAMPLES[Number(choose.value)];
    if (choose.value !== "" && example) {
      loadExample(example);
    }
    choose.value = "";
  });
  examples.append(choose);
  // Before the editor, which would insert the file at the place.
  const isFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
  const over = (on: boolean) => document.body.classList.toggle("dropping", on);
  document.addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    over(true);
  }, true);
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) over(false);
  }, true);
  document.addEventListener("drop", (event) => {
    over(false);
    if (!isFile(event)) return;
    event.preventDefault();
    event.stopPropagation();
    void take(event.dataTransfer?.files[0]);
  }, true);
}

async function copyLink(app: App, stateNow: () => State, onLinked: (text: string) => void): Promise<void> {
  try {
    const url = new URL(location.href);
    const state = stateNow();
    url.hash = await written(state);
    history.replaceState(null, "", url);
    onLinked(asText(state));
    const where = whereItWorks(url.hostname);
    try {
      await navigator.clipboard.writeText(url.href);
      app.say(`The link is copied. ${where}It carries all of this page's state after its #, which browsers send to no server.`, "note");
    } catch {
      app.say(`The link is in the address bar now; this browser did not let the page copy it. ${where}`.trimEnd(), "note");
    }
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    app.say(error.message, "error");
  }
}

/** The box on how to get the robots.txt of a site. Returns what opens it for one. */
function site(): (typed: string) => void {
  const input = byId<HTMLInputElement>("site");
  const output = byId("site-link");
  const draw = () => {
    const url = robotsUrl(input.value);
    if (url === null) {
      fill(output, input.value.trim() === "" ? "" : "This is not the name of a site.");
      return;
    }
    fill(output,
      h("span", {}, "Open ", h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, url), ", copy all of it, and paste it here. Or in a terminal: "),
      h("code", {}, `curl -sSL ${quoted(url)}`));
  };
  input.addEventListener("input", draw);
  return (typed) => {
    input.value = typed;
    draw();
    byId<HTMLDetailsElement>("site-box").open = true;
  };
}

/** For a shell. */
function quoted(url: string): string {
  return /^[\w:/.-]+$/.test(url) ? url : `'${url.replaceAll("'", "%27")}'`;
}

/** Scrolls the list of tabs, and nothing else. */
function showTab(tab: HTMLElement): void {
  const list = tab.parentElement!;
  const [at, of] = [tab.getBoundingClientRect(), list.getBoundingClientRect()];
  if (at.left < of.left) list.scrollLeft -= of.left - at.left;
  else if (at.right > of.right) list.scrollLeft += at.right - of.right;
}

function tabList(onShow: (tab: Tab) => void) {
  const tabs = TABS.map((name) => ({ name, tab: byId(`tab-${name}`), panel: byId(`panel-${name}`) }));
  const show = (name: Tab, focus: boolean) => {
    for (const { name: other, tab, panel } of tabs) {
      const isShown = other === name;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      panel.hidden = !isShown;
      if (isShown) showTab(tab);
      if (isShown && focus) tab.focus();
    }
    onShow(name);
  };
  tabs.forEach(({ name, tab }, index) => {
    tab.addEventListener("click", () => show(name, false));
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      show(tabs[(to + tabs.length) % tabs.length]!.name, true);
    });
  });
  return { show };
}

function theme(): void {
  const button = byId("theme");
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null;
    }
  };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const draw = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  };
  const was = stored();
  if (was === "dark" || was === "light") root.dataset.theme = was;
  draw();
  dark.addEventListener("change", draw);
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      // Without storage the choice holds until the page is closed.
    }
    draw();
  });
}

/** Says that the page works offline once it does. */
function offline(): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.register("sw.js").then(
    () => navigator.serviceWorker.ready.then(() => {
      byId("offline").textContent = "This page is stored in your browser now: it works offline.";
    }),
    () => undefined, // A server without HTTPS, or a browser that forbids it: the page works, but not offline.
  );
}

begin().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  fill(byId("notice"), h("div", { class: "notice notice-error", role: "alert" }, h("p", {}, `The page could not start: ${text}. Load it again.`)));
});

