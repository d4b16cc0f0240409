// What the runners in JavaScript share: as suite.py.

import { readFileSync } from "node:fs";

const text = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
const field = (case_, name) => case_[name] ?? text(Buffer.from(case_[`${name}_base64`], "base64"));

/** `judge(robots, name, url)` says whether the URL is allowed; undefined if it refuses to. */
export async function run(judge) {
  for (const case_ of JSON.parse(readFileSync(process.argv[2], "utf8")).cases) {
    console.log(`${case_.id}\t${await answer(case_, judge)}`);
  }
}

async function answer(case_, judge) {
  if (case_.crawler?.length !== 1) return "? takes one name";
  let robots, url;
  try {
    [robots, url] = [field(case_, "robots"), field(case_, "url")];
  } catch {
    return "? takes text";
  }
  try {
    const allowed = await judge(robots, case_.crawler[0], url);
    return allowed === undefined ? "? answers undefined" : allowed ? "allow" : "disallow";
  } catch (error) {
    return `? ${error.name}`;
  }
}
