// Builds the page into page/dist. `npm run build` builds the package first, which this needs.

import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const source = (name) => join(here, "src", name);
const dist = join(here, "dist");
/** The built package. */
const built = process.env.ROBOTSIEVE_PACKAGE ?? join(here, "../dist/write");

const { version, repository } = JSON.parse(await readFile(join(here, "../package.json"), "utf8"));
const project = repository.url.replace(/^git\+|\.git$/g, "");

const shared = {
  bundle: true, minify: true, format: "esm", target: ["chrome111", "firefox114", "safari16.4"], legalComments: "none",
  loader: { ".txt": "text" }, alias: { robotsieve: join(built, "browser.js") },
  logLevel: "warning", charset: "utf8", define: { REPOSITORY: JSON.stringify(project) },
};

/** The licences of what the scripts have in them: each asks that its text goes with it. */
async function licences(metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/);
    if (found) packages.add(found[1]);
  }
  const texts = [...packages].sort().map(async (name) => {
    const folder = join(here, "../node_modules", name);
    const file = (await readdir(folder)).find((file) => /^licen[cs]e/i.test(file));
    if (!file) throw new Error(`${name} has no licence`);
    return `${name}\n\n${(await readFile(join(folder, file), "utf8")).trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const [page] = await Promise.all([
  build({ ...shared, entryPoints: [source("main.ts")], outfile: join(dist, "page.js"), metafile: true }),
  build({ ...shared, entryPoints: [source("engine/worker.ts")], outfile: join(dist, "worker.js") }),
  build({ ...shared, entryPoints: [source("page.css")], outfile: join(dist, "page.css") }),
  readFile(source("index.html"), "utf8").then((html) =>
    writeFile(join(dist, "index.html"), html.replaceAll("__VERSION__", version).replaceAll("__REPOSITORY__", project))),
  copyFile(source("icon.svg"), join(dist, "icon.svg")),
  copyFile(source("manifest.webmanifest"), join(dist, "manifest.webmanifest")),
  copyFile(join(built, "robotsieve-write.wasm"), join(dist, "robotsieve.wasm")),
]);

await writeFile(join(dist, "licences.txt"), await licences(page.metafile));

// The service worker comes last: it names all files, and their hash is its version.
const files = (await readdir(dist)).sort();
const hash = createHash("sha256");
for (const file of files) hash.update(file).update(await readFile(join(dist, file)));
await build({
  ...shared, format: "iife", entryPoints: [source("sw.ts")], outfile: join(dist, "sw.js"),
  define: { FILES: JSON.stringify(["./", ...files]), VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)) },
});

for (const file of (await readdir(dist)).sort()) {
  const { size } = await stat(join(dist, file));
  console.log(`${String(size).padStart(9)}  page/dist/${basename(file)}`);
}
