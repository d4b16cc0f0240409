// What a reader downloads, and how long the module takes to be ready: `npm run size`. Fails over a limit.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const READY_MS = 20;
/** What scripts each has besides. */
const MORE = { core: [], full: ["full.js"], known: ["full.js", "known.js"], rights: ["full.js", "known.js", "rights.js"], write: ["full.js", "known.js", "rights.js", "write.js", "frameworks.js"] };
let failed = false;

function brotli(bytes) {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  }).length;
}

function report(what, value, limit, unit) {
  const isOver = value > limit;
  failed ||= isOver;
  console.log(`${what.padEnd(44)} ${String(value).padStart(8)} ${unit}  (at most ${limit})${isOver ? "  TOO MUCH" : ""}`);
}

for (const [name, folder, limit] of [
  ["robotsieve: decide and explain", "core", 180_000],
  ["robotsieve-full: with lint and diff", "full", 345_000],
  ["robotsieve-known: with records and known crawlers", "known", 395_000],
  ["robotsieve-rights: with rights", "rights", 575_000],
  ["robotsieve-write: with building files", "write", 620_000],
]) {
  const read = (file) => readFileSync(new URL(`../dist/${folder}/${file}`, import.meta.url));
  const file = folder === "core" ? "robotsieve.wasm" : `robotsieve-${folder}.wasm`;
  const module = read(file);
  const scripts = ["browser.js", "index.js", "bytes.js", "core.js", "error.js", "given.js", "load.js", "wasm.js"];
  const script = Buffer.concat([...scripts, ...MORE[folder]].map(read));
  report(`${name}, brotli`, brotli(module) + brotli(script), limit, "bytes");
  console.log(`    module ${module.length} bytes, ${brotli(module)} with brotli; scripts ${script.length} and ${brotli(script)}`);
  // Each time in a new process, since engines remember modules that they have compiled. The best of some: other programs
  // only make it slower.
  const path = JSON.stringify(new URL(`../dist/${folder}/`, import.meta.url).pathname);
  const program = `
    const { initSync } = await import(${path} + "wasm.js");
    const module = (await import("node:fs")).readFileSync(${path} + "${file}");
    const start = performance.now();
    initSync({ module });
    console.log(performance.now() - start);`;
  const once = () => Number(execFileSync(process.execPath, ["--input-type=module", "-e", program]));
  const best = Math.min(...Array.from({ length: 7 }, once));
  report(`${name}, compiled and instantiated`, Number(best.toFixed(1)), READY_MS, "ms");
}
process.exitCode = failed ? 1 : 0;
