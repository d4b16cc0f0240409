// The page's verdicts are the command's: the conformance cases, through the functions that fill the table.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "smol-toml";
import { answers, root } from "./bundle.mjs";

const PROFILES = ["rfc9309", "google", "google-classic", "original-1994"];
const { Answers, decoded, verdictWords } = await answers("views/urls.ts", "files.ts");

const folder = join(root, "corpora/cases");
const cases = [];
for (const file of (await readdir(folder)).sort()) {
  if (file.endsWith(".toml")) cases.push(...parse(await readFile(join(folder, file), "utf8")).case);
}

const bytesOf = (of, name) =>
  of[name] !== undefined ? new TextEncoder().encode(of[name]) : Uint8Array.from(Buffer.from(of[`${name}_base64`], "base64"));

const askerOf = (of) =>
  of.user_agent !== undefined
    ? { kind: "header", header: of.user_agent }
    : { kind: "names", names: of.agent.split(",").map((name) => name.trim()) };

/** One of the names is a header or several words: the page takes it for one, and the command refuses it. */
const isMistaken = (of) => of.agent !== undefined && of.agent.split(",").some((name) => /[\s/;:()@]/.test(name.trim()));

/** What the table and the explanation say, in the words of the cases. */
function said(file, profile, asker, urls) {
  const of = new Answers(file);
  try {
    const [column] = of.table(profile, [asker], urls);
    assert.equal(column.kind, "crawler", column.message);
    return urls.map((url, index) => {
      const [kind, words] = verdictWords(column, index);
      if (kind === "invalid") {
        assert.throws(() => of.why(profile, asker, url));
        return words;
      }
      const { explanation } = of.why(profile, asker, url);
      assert.equal(explanation.verdict, words, "the explanation has the verdict of the table");
      return words + (explanation.winner_line === null ? "" : `:${explanation.winner_line}`);
    });
  } finally {
    of.free();
  }
}

/** What an editor makes of a text: its line ends are LF. */
const edited = (text) => text.split(/\r\n?|\n/).join("\n");

test("the cases, byte for byte", () => {
  let count = 0;
  let mistaken = 0;
  for (const of of cases) {
    if (isMistaken(of)) {
      mistaken += 1;
      continue;
    }
    const urls = of.checks.map((check) => bytesOf(check, "url"));
    for (const profile of PROFILES) {
      const expected = of.checks.map((check) => check.all ?? check[profile]);
      assert.deepEqual(said(bytesOf(of, "robots"), profile, askerOf(of), urls), expected, `${of.name}, ${profile}`);
      count += expected.length;
    }
  }
  assert.ok(cases.length >= 400 && count > 4000 && mistaken < 12, `${cases.length} cases, ${count} verdicts, ${mistaken} left out`);
});

test("the cases as text in the editor", () => {
  // Left out: bytes that are no UTF-8, of which the page warns when such a file is opened.
  let [count, left] = [0, 0];
  for (const of of cases) {
    const robots = decoded(bytesOf(of, "robots"));
    const urls = of.checks.map((check) => decoded(bytesOf(check, "url")));
    if (isMistaken(of) || robots.replaced > 0 || urls.some((url) => url.replaced > 0)) {
      left += 1;
      continue;
    }
    for (const profile of PROFILES) {
      const expected = of.checks.map((check) => check.all ?? check[profile]);
      const got = said(edited(robots.text), profile, askerOf(of), urls.map((url) => url.text));
      assert.deepEqual(got, expected, `${of.name}, ${profile}`);
      count += expected.length;
    }
  }
  assert.ok(count > 4000 && left < 40, `${count} verdicts, ${left} cases left out`);
});
