// The real files with google/robotstxt's verdicts, which are not in the repository: see CONTRIBUTING.md.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

export const corpus = process.env.ROBOTSIEVE_CORPUS ?? fileURLToPath(new URL("../../../shared/corpus", import.meta.url));

/** Why tests of the corpus are skipped; `false` if they are not. */
export const missing = existsSync(join(corpus, "verdicts.google.tsv.gz"))
  ? false
  : `there is no corpus in ${corpus} (or where ROBOTSIEVE_CORPUS says)`;

export function file(host) {
  return readFileSync(join(corpus, "robots", host));
}

/** All hosts with a file. */
export function hosts() {
  return readdirSync(join(corpus, "robots"));
}

/** The real URLs of a host; none for most. */
export function realUrls(host) {
  const path = join(corpus, "urls", host);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter((url) => url !== "") : [];
}

/**
 * The reference verdicts by host and crawler: `[host, crawler, urls, verdicts]`. A URL is a string, or bytes if it is not
 * UTF-8. A verdict is 1 for allowed and 0 for disallowed.
 */
export function* reference() {
  const bytes = gunzipSync(readFileSync(join(corpus, "verdicts.google.tsv.gz")));
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let group;
  for (let at = 0; at < bytes.length;) {
    let end = bytes.indexOf(10, at);
    if (end < 0) end = bytes.length;
    const tabs = [at];
    for (let i = 0; i < 3; i++) tabs.push(bytes.indexOf(9, tabs[i]) + 1);
    const field = (i) => bytes.latin1Slice(tabs[i], tabs[i + 1] - 1);
    const [host, crawler, verdict] = [field(0), field(1), field(2)];
    const raw = bytes.subarray(tabs[3], end);
    let url;
    try {
      url = decoder.decode(raw);
    } catch {
      url = new Uint8Array(raw);
    }
    if (group?.[0] !== host || group[1] !== crawler) {
      if (group) yield group;
      group = [host, crawler, [], []];
    }
    group[2].push(url);
    group[3].push(Number(verdict));
    at = end + 1;
  }
  if (group) yield group;
}
