/** The robots.txt that the command `robotsieve page` was given, and serves beside the page. */

import type { App } from "./app.js";
import { shown } from "./engine/shown.js";
import { type Opened, opening } from "./files.js";
import { robotsUrl } from "./urls.js";

/** The query of the address that the command prints then. */
const QUERY = "?given";

export interface FromCommand extends Opened {
  name: string;
  /** What to ask first: the root of its site, or `/`. */
  url: string;
}

/** `null`: there is none. An error, for people: it cannot be read. */
export async function fromCommand(folder: URL, app: App): Promise<FromCommand | Error | null> {
  if (location.search !== QUERY) return null;
  // A reload keeps what has become of it.
  history.replaceState(null, "", location.pathname + location.hash);
  const response = await fetch(new URL("given", folder)).catch(() => null);
  if (!response?.ok) return new Error("The file that 'robotsieve page' was given is not served any more: run the command again.");
  const [, written = "robots.txt"] = /filename\*=UTF-8''([^;]*)/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  const name = decodeURIComponent(written);
  const opened = await opening(name, new Uint8Array(await response.arrayBuffer()), app);
  const isUrl = /^https?:\/\//i.test(name) && robotsUrl(name) !== null;
  return { ...opened, name: shown(name), url: isUrl ? new URL("/", name).href : "/" };
}
