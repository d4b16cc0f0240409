// The page's own modules, as Node can import them: made by esbuild, with the built package.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const built = process.env.ROBOTSIEVE_PACKAGE ?? join(here, "../../dist/write");
export const root = join(here, "../../..");
export const dist = process.env.ROBOTSIEVE_PAGE ?? join(here, "../dist");

/** Imports modules of `src`, as one. */
export async function source(...names) {
  const folder = await mkdtemp(join(tmpdir(), "robotsieve-page-"));
  const outfile = join(folder, "module.mjs");
  await build({
    stdin: { contents: names.map((name) => `export * from "./${name}";`).join("\n"), resolveDir: join(here, "../src"), loader: "ts" },
    outfile, bundle: true, format: "esm", platform: "node", target: "node20",
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

/** What the page's workers answer, with the known crawlers that the module has. */
export async function answers(...names) {
  const { knownCrawlers, purposes } = await engine();
  const made = await source("engine/answers.ts", "engine/asker.ts", ...names);
  made.setKnown({ crawlers: knownCrawlers().crawlers, purposes: purposes() });
  return made;
}
