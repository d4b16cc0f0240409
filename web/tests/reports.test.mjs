// The package's reports are the command's, byte for byte once the members are sorted. `.ci/run web` names the command.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { diff, PROFILES, Robots } from "robotsieve/known";

import { corpus } from "./corpus.mjs";

const command = process.env.ROBOTSIEVE_COMMAND;
const skip = command ? false : "ROBOTSIEVE_COMMAND names no command to compare with";

/** The files of a folder, or so many of them, with their paths. */
function filesOf(folder, most = Infinity) {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const step = Math.max(1, names.length / most);
  return Array.from({ length: Math.min(most, names.length) }, (_, at) => join(folder, names[Math.floor(at * step)]));
}

const own = fileURLToPath(new URL("../../corpora/robots", import.meta.url));
const files = [...filesOf(own).filter((path) => path.endsWith(".txt")), ...filesOf(join(corpus, "robots"), 50)];

/** What the command prints as JSON. It says in its status what it found. */
function said(...args) {
  try {
    return execFileSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    if (error.status === 1) return error.stdout;
    throw error;
  }
}

/** JSON with the members of each object in the order of their names. */
function sorted(value) {
  const members = (_, of) =>
    of !== null && typeof of === "object" && !Array.isArray(of) ? Object.fromEntries(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1))) : of;
  return JSON.stringify(value, members);
}

function same(report, what, ...args) {
  const printed = said(...args);
  assert.equal(sorted(report), sorted(JSON.parse(printed)), `${what}: robotsieve ${args.join(" ")}`);
}

const HEADER = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const URLS = ["https://example.com/", "/search?q=%61&x=é", "/robots.txt"];

for (const profile of PROFILES) {
  test(`the reports of ${files.length} files in profile ${profile}`, { skip }, (t) => {
    let count = 0;
    let before = files.at(-1);
    for (const path of files) {
      const robots = new Robots(readFileSync(path), { profile, name: path });
      const json = ["--profile", profile, "--format", "json"];
      const check = (kind, report, ...args) => {
        count += 1;
        same(report, kind, kind, ...json, ...args);
      };
      const url = URLS[count % URLS.length];
      check("explain", robots.explain("Googlebot", url), "--agent", "Googlebot", path, url);
      check("explain", robots.explain({ userAgent: HEADER }, url), "--user-agent", HEADER, path, url);
      count += 1;
      same(robots.compareProfiles(["Googlebot-News", "Googlebot"], url), "explain", "explain", "--all-profiles", "--format", "json",
        "--agent", "Googlebot-News,Googlebot", path, url);
      check("lint", robots.lint(), path);
      const old = new Robots(readFileSync(before), { profile, name: before });
      check("diff", diff(old, robots), before, path);
      check("records", robots.records(), path);
      check("crawlers", robots.crawlers(), path);
      before = path;
      old.free();
      robots.free();
    }
    t.diagnostic(`${count} reports of ${files.length} files`);
    assert.ok(count >= 7 * 5);
  });
}
