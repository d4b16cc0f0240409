// The ways in which the package is loaded, apart from browsers.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL("..", import.meta.url));
const run = (args) => execFileSync(process.execPath, args, { cwd, encoding: "utf8" });

/** Imports a `.wasm` file as Cloudflare's bundler does: as a compiled module. */
const LOADER = `
import { readFileSync } from "node:fs";
export async function load(url, context, next) {
  if (!url.endsWith(".wasm")) return next(url, context);
  const path = JSON.stringify(new URL(url).pathname);
  const source = 'import { readFileSync } from "node:fs"; export default new WebAssembly.Module(readFileSync(' + path + '));';
  return { format: "module", shortCircuit: true, source };
}`;

const data = (text) => `data:text/javascript,${encodeURIComponent(text)}`;

test("in a worker of Cloudflare's, by its condition", () => {
  const register = data(`import { register } from "node:module"; register(${JSON.stringify(data(LOADER))});`);
  const program = `
    import { diff, init, Robots } from "robotsieve-full";
    import { Robots as Core } from "robotsieve";
    import robotsParser from "robotsieve/robots-parser";
    const url = import.meta.resolve("robotsieve-full");
    const file = "User-agent: *\\nDisallow: /a";
    const parser = robotsParser("https://e.com/robots.txt", file);
    await init();
    console.log(url.split("/").at(-1), new Robots(file).isAllowed("a", "/a"), new Core(file).isAllowed("a", "/b"),
      parser.isAllowed("https://e.com/a"), diff(file, "").result);`;
  const out = run(["--conditions=workerd", "--no-warnings", "--import", register, "--input-type=module", "-e", program]);
  assert.equal(out.trim(), "workerd.js false true false different");
});

test("with require, where Node requires modules", { skip: !process.features.require_module && "this Node does not" }, () => {
  const program = `
    const { Robots } = require("robotsieve-full");
    const parser = require("robotsieve/robots-parser")("https://e.com/robots.txt", "User-agent: *\\nDisallow: /a");
    console.log(new Robots("").isAllowed("a", "/"), parser.isAllowed("https://e.com/a"));`;
  assert.equal(run(["--no-warnings", "-e", program]).trim(), "true false");
});

test("every file that a package.json names is there, and npm gets no other module or second copy in the main package", () => {
  const filesOf = (entry) => (typeof entry === "string" ? [entry] : Object.values(entry).flatMap(filesOf));
  for (const name of ["core", "inline", "full", "known", "rights", "write"]) {
    const folder = new URL(`../dist/${name}/`, import.meta.url);
    const { exports } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
    for (const file of filesOf(exports)) assert.ok(existsSync(new URL(file, folder)), `${name}: ${file}`);
  }
  const [{ size, files }] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", "./dist/core"], { cwd, encoding: "utf8" }));
  assert.ok(size <= 400_000, `robotsieve is ${size} bytes packed`);
  assert.deepEqual(files.map(({ path }) => path).filter((path) => /wasm$|inline/.test(path)), ["robotsieve.wasm"]);
});

// Without `lib.dom` and the types of Node, which nobody has to have: the declarations are checked too.
for (const [name, module, file] of [
  ["a module", "nodenext", "types.check.mts"],
  ["a module, as bundlers resolve it", "esnext", "types.check.mts"],
  ["require", "nodenext", "types.check.cts"],
]) {
  test(`the types are those of the package: ${name}`, () => {
    const options = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2022", "--lib", "es2022",
      "--module", module, "--moduleResolution", module === "esnext" ? "bundler" : module, "--typeRoots", "none"];
    run(["node_modules/typescript/bin/tsc", ...options, fileURLToPath(new URL(file, import.meta.url))]);
  });
}
