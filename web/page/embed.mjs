// Puts the built page into the command line (`robotsieve page`): each file of page/dist, compressed, into cli/page.
//
//     node page/embed.mjs            # after npm run build
//     node page/embed.mjs --check    # whether what is there is what was built
//
// Only a release does either (RELEASING.md), as git keeps each version of these files for ever.
//
// The module for WebAssembly depends on the compiler, and the service worker on all files: --check passes them over, and compares the
// version instead.

import { readdir, readFile, rm, mkdir, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
const into = join(here, "../../cli/page");
const KINDS = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

const { version } = JSON.parse(await readFile(join(here, "../package.json"), "utf8"));
const title = `// The files of the page of version ${version}: name, type, bytes compressed with gzip. Made by web/page/embed.mjs.\n`;

const names = (await readdir(dist)).sort();
for (const name of names) if (!KINDS[extname(name)]) throw new Error(`${name}: what kind of file is this?`);

if (process.argv.includes("--check")) {
  const wrong = [];
  if (!(await readFile(join(into, "files.rs"), "utf8")).startsWith(title)) wrong.push(`it is not the page of version ${version}`);
  const there = (await readdir(into)).filter((name) => name.endsWith(".gz")).map((name) => name.slice(0, -3)).sort();
  if (there.join() !== names.join()) wrong.push(`the files are ${there.join(", ")}, and should be ${names.join(", ")}`);
  for (const name of names.filter((name) => name !== "sw.js" && !name.endsWith(".wasm") && there.includes(name))) {
    const [embedded, built] = await Promise.all([readFile(join(into, `${name}.gz`)), readFile(join(dist, name))]);
    if (!gunzipSync(embedded).equals(built)) wrong.push(`${name} is not what was built`);
  }
  if (wrong.length > 0) {
    console.error(`cli/page: ${wrong.join("; ")}: node page/embed.mjs writes them anew`);
    process.exit(1);
  }
} else {
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true });
  const entries = [];
  for (const name of names) {
    await writeFile(join(into, `${name}.gz`), gzipSync(await readFile(join(dist, name)), { level: 9 }));
    entries.push(`    ("${name}", "${KINDS[extname(name)]}", include_bytes!("${name}.gz")),\n`);
  }
  await writeFile(
    join(into, "files.rs"),
    title +
      `static FILES: [(&str, &str, &[u8]); ${names.length}] = [\n${entries.join("")}];\n`,
  );
}
