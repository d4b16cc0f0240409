// The package's reports are the command's, byte for byte once the members are sorted. `.ci/run web` names the command.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { diff, PROFILES, Robots } from "robotsieve-known";
import { RightsReader } from "robotsieve-rights";

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
// Each report starts the command. As with the library's own tests, ROBOTSIEVE_TESTS=all tries more: more files, and
// each file in all profiles, not in one.
const isAll = process.env.ROBOTSIEVE_TESTS === "all";
const most = isAll ? 50 : 6;
const files = [...filesOf(own).filter((path) => path.endsWith(".txt")), ...filesOf(join(corpus, "robots"), most)];

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

/** A file as the command asks about it: decoded. Bytes that are given to the profile google stay as they are. */
function asked(path, profile) {
  const body = readFileSync(path);
  const label = { "255,254": "utf-16le", "254,255": "utf-16be" }[body.subarray(0, 2).join()];
  return profile === "google" && label ? Buffer.from(new TextDecoder(label).decode(body)) : body;
}

const HEADER = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const URLS = ["https://example.com/", "/search?q=%61&x=é", "/robots.txt"];

// Where none is named, known crawlers read a file as their operators do.
for (const [number, named] of [undefined, ...PROFILES].entries()) {
  const profile = named ?? "rfc9309";
  const some = isAll ? files : files.filter((_, at) => at % (PROFILES.length + 1) === number);
  test(`the reports of ${some.length} files in ${named === undefined ? "no profile" : `profile ${named}`}`, { skip }, (t) => {
    let count = 0;
    let before = some.at(-1);
    for (const path of some) {
      const robots = new Robots(asked(path, profile), { profile: named, name: path });
      const json = [...(named === undefined ? [] : ["--profile", named]), "--format", "json"];
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
      const raw = new Robots(readFileSync(path), { profile: named, name: path });
      check("lint", raw.lint(), path);
      raw.free();
      const old = new Robots(asked(before, profile), { profile: named, name: before });
      check("diff", diff(old, robots), before, path);
      check("records", robots.records(), path);
      check("crawlers", robots.crawlers(), path);
      before = path;
      old.free();
      robots.free();
    }
    t.diagnostic(`${count} reports of ${some.length} files`);
    assert.ok(count >= 7 * 2);
  });
}

test("the rights of the library's own cases, as JSON and in words", { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), "robotsieve-rights-"));
  const cases = JSON.parse(readFileSync(new URL("../../tests/it/rights_cases.json", import.meta.url), "utf8"));
  const put = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  try {
    cases.forEach(({ id, input }, number) => {
      const { url, crawler, robots, headers, html, files, reading, versions } = input;
      const [vocabulary, now] = [versions?.["aipref-vocab"], input.now ?? "2026-11-20T12:00:00Z"];
      const args = ["rights", "--agent", crawler, "--now", now];
      if (reading !== undefined) args.push("--reading", reading);
      if (vocabulary !== undefined) args.push("--vocabulary", vocabulary);
      if (robots !== undefined) args.push("--robots", put(`${number}.txt`, robots));
      if (headers !== undefined) args.push("--headers", put(`${number}.header`, headers.map((pair) => `${pair.join(": ")}\n`).join("")));
      if (html !== undefined) args.push("--html", put(`${number}.html`, html));
      Object.entries(files ?? {}).forEach(([address, file], at) => args.push("--file", `${address}=${put(`${number}-${at}`, file)}`));

      const reader = new RightsReader(crawler.split(",").map((name) => name.trim()), { reading, vocabulary, now: new Date(now) });
      const sources = { robots, headers, html, files };
      same(reader.rights(url, sources), id, ...args, "--format", "json", url);
      const { purposes, sentences } = reader.report(url, sources);
      const lines = purposes.flatMap(({ purpose, ruling, reasons }) => reasons.map((reason, at) =>
        `  ${(at === 0 ? purpose : "").padEnd(8)}  ${(at === 0 ? ruling : "").padEnd(8)}  ${reason}`));
      assert.deepEqual(said(...args, url).split("\n").slice(1, -1), [...lines, ...sentences], id);
      reader.free();
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
  t.diagnostic(`${cases.length} cases`);
});

test("files are compared by their bytes, whatever profile they were read with", () => {
  const file = (last) => new Robots(Uint8Array.from([...new TextEncoder().encode("User-agent: *\nDisallow: /caf"), last]));
  assert.equal(diff(file(0xe9), file(0xe8), { profile: "google" }).result, "different");
});
