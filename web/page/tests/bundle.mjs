// The page's own modules, as Node can import them: made by esbuild, with the built package.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const built = process.env.ROBOTSIEVE_PACKAGE ?? join(here, "../../dist/full");
export const root = join(here, "../../..");
export const dist = process.env.ROBOTSIEVE_PAGE ?? join(here, "../dist");

/** Imports a module of `src`. */
export async function source(name) {
  const folder = await mkdtemp(join(tmpdir(), "robotsieve-page-"));
  const outfile = join(folder, "module.mjs");
  await build({
    entryPoints: [join(here, "../src", name)], outfile, bundle: true, format: "esm", platform: "node", target: "node20",
    loader: { ".txt": "text" }, logLevel: "warning",
    plugins: [{
      name: "package",
      setup: ({ onResolve }) => onResolve({ filter: /^robotsieve$/ }, () =>
        ({ path: pathToFileURL(join(built, "node.js")).href, external: true })),
    }],
  });
  return import(pathToFileURL(outfile).href);
}

export const engine = () => import(pathToFileURL(join(built, "node.js")).href);

/** The known crawlers, as the page gets them. */
export async function knownCrawlers() {
  const { readFile } = await import("node:fs/promises");
  return JSON.parse(await readFile(join(dist, "crawlers.json"), "utf8"));
}
