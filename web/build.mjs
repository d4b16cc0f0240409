// Builds the packages, each in a folder of dist/: `npm run build`. With `--quick`, for tests, only the modules of core and write, as they are
// before they are made small; the ones between are copies of that of write, which has all of theirs. With `--scripts` only the scripts,
// around the modules that are in dist/ already.
//
// Cargo builds the standard library too, from the sources that `rustup component add rust-src` or Debian's package
// rust-web-src brings: see toolchain.mjs.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { transformSync } from "esbuild";

import { compiler, known, quick, triple, wasmOpt } from "./toolchain.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
const target = process.env.CARGO_TARGET_DIR ?? join(here, "../target");

/** Runs a program, beside others. */
function run(program, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: here, stdio: "inherit", env: { ...process.env, ...env } });
    child.on("error", reject);
    child.on("exit", (code, signal) => (code === 0 ? resolve() : reject(new Error(`${basename(program)}: ${signal ?? code}`))));
  });
}

/** Waits for all, so that nothing goes on in the background when one of them has failed. */
async function all(jobs) {
  for (const { reason } of await Promise.allSettled(jobs)) if (reason) throw reason;
}

const { cargo, environment, options } = compiler(["simd128"]);

const isScripts = process.argv.includes("--scripts");
if (!isScripts) rmSync(dist, { recursive: true, force: true });
// Core has room for faster code: a verdict takes a twentieth less time, for 26 kB.
const fast = ["robotsieve", "robotsieve-web"].flatMap((crate) => ["--config", `profile.web.package.${crate}.opt-level=2`]);
const isQuick = process.argv.includes("--quick");
const variants = [["write", ["--features=write"]], ["rights", ["--features=rights"]], ["known", ["--features=known"]], ["full", []], ["core", ["--no-default-features", ...fast]]];

const shared = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const { version } = shared;
/** The package of a variant. Core is what most need, so it is the one without a suffix. */
const packageOf = (name) => (name === "core" ? "robotsieve" : `robotsieve-${name}`);
/** The file of a variant's module. Each has a name of its own, so that they can lie in one folder. */
const moduleFile = (name) => `${packageOf(name)}.wasm`;

/**
 * Gives a module a section that says which scripts it is for, which `package/load.ts` reads, and returns what it says: variant,
 * version, and a part of the hash of what `wasm-bindgen` made, since that differs within a version while it is developed.
 */
function paired(name) {
  const path = join(dist, name, moduleFile(name));
  if (isScripts) {
    const [section] = WebAssembly.Module.customSections(new WebAssembly.Module(readFileSync(path)), "robotsieve");
    return new TextDecoder().decode(section);
  }
  const made = createHash("sha256").update(readFileSync(join(dist, name, "wasm.js"))).digest("hex").slice(0, 8);
  const pairing = `${packageOf(name)} ${version} (interface ${made})`;
  // A custom section: the number 0, its length, its name with the length before it, its content. Lengths of less than 128
  // take one byte.
  const section = Buffer.concat([Buffer.of("robotsieve".length), Buffer.from(`robotsieve${pairing}`)]);
  if (section.length > 127) throw new Error("the section of the pairing is too long");
  writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.of(0, section.length), section]));
  return pairing;
}

/** Compiles a variant of the module. */
async function compiled(name, features) {
  await run(cargo, [
    "build", "--profile", "web", "-p", "robotsieve-web", ...options, ...features, ...(isQuick ? quick("web") : []),
  ], environment);
  const folder = join(dist, name);
  mkdirSync(folder, { recursive: true });
  // The next variant is built in the same place.
  copyFileSync(join(target, triple, "web", "robotsieve_web.wasm"), join(folder, "compiled.wasm"));
}

/** Makes the JavaScript around a module that was compiled, and makes the module small. */
async function finished(name) {
  const folder = join(dist, name);
  const [module, made] = [join(folder, "compiled.wasm"), join(folder, "wasm_bg.wasm")];
  await run(join(target, "tool", "robotsieve-bindgen"), [module, folder, "wasm"]);
  if (isQuick) copyFileSync(made, join(folder, moduleFile(name)));
  else await run(process.execPath, [
    // Node 20 and browsers since 2021 know all instructions that the compiler uses.
    wasmOpt, made, name === "core" ? "-Os" : "-Oz", "--enable-simd", ...known, "-o", join(folder, moduleFile(name)),
  ]);
  for (const file of [module, made]) rmSync(file);
}

// Compiling a module takes one processor for the most part. So the tool is built beside the first one, and each is finished
// beside the next.
const tool = isScripts ? undefined : run("cargo", ["build", "--locked", "--profile", "tool", "-p", "robotsieve-bindgen"]);
const copies = isQuick && !isScripts ? ["rights", "known", "full"] : [];
const jobs = [tool];
let last = Promise.resolve();
for (const [name, features] of variants.filter(([name]) => !isScripts && !copies.includes(name))) {
  last = last.then(() => compiled(name, features));
  jobs.push(last, Promise.all([last, tool]).then(() => finished(name)));
}
// The types of the reports.
if (!isScripts) jobs.push(run("cargo", [
  "run", "--locked", "--quiet", "-p", "robotsieve-types", "--",
  "typescript", join(here, "package/reports.ts"),
]));
await all(jobs);
for (const name of copies) {
  cpSync(join(dist, "write"), join(dist, name), { recursive: true });
  renameSync(join(dist, name, moduleFile("write")), join(dist, name, moduleFile(name)));
}

await run(process.execPath, [join(here, "node_modules/typescript/bin/tsc")]);
// The compiler copies no declaration that was written by hand.
cpSync(join(here, "package/wasm.d.ts"), join(dist, "full/wasm.d.ts"));
for (const [name, without] of [["core", /^(full|known|rights|rights-types|write|write-types|frameworks)\./], ["known", /^(robots-parser|rights|write|frameworks)/], ["rights", /^(robots-parser|write|frameworks)/], ["write", /^robots-parser/]]) {
  cpSync(join(dist, "full"), join(dist, name), {
    recursive: true,
    filter: (path) => !without.test(basename(path)) && !/(\.wasm|wasm\.js)$/.test(path),
  });
}
const names = "ALLOW, DISALLOW, headerNames, INVALID, OutOfMemoryError, Policy, PROFILES, Robots, RobotsieveError";
const types = `export type { ErrorCode } from "./core.js";\nexport type * from "./reports.js";\nexport type * from "./types.js";\n`;
for (const [name, index, declared] of [
  ["core", `export { ${names} } from "./core.js";\n`, types],
  ["known", 'export * from "./known.js";\n', ""],
  ["rights", 'export * from "./known.js";\nexport * from "./rights.js";\n', ""],
  ["write", 'export * from "./known.js";\nexport * from "./rights.js";\nexport * from "./write.js";\nexport * from "./frameworks.js";\n', ""],
]) {
  writeFileSync(join(dist, name, "index.js"), index);
  writeFileSync(join(dist, name, "index.d.ts"), index + declared);
}
// The interface of robots-parser stands on core alone; the known crawlers, rights and writing have modules of their own.
for (const file of readdirSync(join(dist, "full"))) {
  if (/^(robots-parser|known|rights|write|frameworks)/.test(file)) rmSync(join(dist, "full", file));
}
// Their comments are a third of what the scripts are when compressed, and the declarations have them too. All else stays as
// it was written: people step into scripts, and read the lines that a stack names.
function withoutComments(path, define = {}) {
  const source = readFileSync(path, "utf8");
  writeFileSync(path, transformSync(source, { target: "es2022", define }).code);
}
for (const [name] of variants) {
  const folder = join(dist, name);
  const scripts = readdirSync(folder).filter((file) => file.endsWith(".js") && file !== "wasm.js");
  withoutComments(join(folder, "wasm.js"));
  const inline = name === "core" ? "robotsieve-inline" : `${packageOf(name)}/inline`;
  const define = { PAIRING: JSON.stringify(paired(name)), INLINE: JSON.stringify(inline) };
  for (const file of scripts) {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("robotsieve.wasm", moduleFile(name)));
    withoutComments(path, define);
  }
  // The module in a script, for bundlers.
  const module = deflateRawSync(readFileSync(join(folder, moduleFile(name))), { level: 9 }).toString("base64");
  writeFileSync(join(folder, "inlined.js"), `export default "${module}";\n`);
}

// The module of core in a script is as large as the module, so it is a package of its own: `robotsieve` stays small.
rmSync(join(dist, "inline"), { recursive: true, force: true });
cpSync(join(dist, "core"), join(dist, "inline"), { recursive: true });
for (const [name, without] of [["core", /inline/], ["inline", /(browser|node)\./]]) {
  for (const file of readdirSync(join(dist, name))) if (without.test(file)) rmSync(join(dist, name, file));
}

/** What each package has besides the verdicts and their reasons. */
const PACKAGES = {
  core: "",
  inline: ", with its module in a script",
  full: ", finds mistakes and compares versions",
  known: ", reads all records, and knows the crawlers by name",
  rights: ", and what may be done with a page",
  write: ", and writes a robots.txt that is proven",
};
for (const [name, more] of Object.entries(PACKAGES)) {
  const folder = join(dist, name);
  const wasm = `./${moduleFile(name === "inline" ? "core" : name)}`;
  const [types, workerd] = ["./browser.d.ts", "./workerd.js"];
  const inline = { types: "./inline.d.ts", workerd, default: "./inline.js" };
  const parser = (file) => `./robots-parser-${file}`;
  const exports = {
    ".": name === "inline" ? inline : { types, workerd, node: "./node.js", default: "./browser.js" },
    ...(!["core", "inline"].includes(name) && { "./inline": inline }),
    ...(name === "core" && {
      "./robots-parser": {
        workerd: { types: parser("browser.d.ts"), default: parser("workerd.js") },
        node: { "types@>=5.8": parser("node.d.ts"), types: parser("browser.d.ts"), default: parser("node.js") },
        types: parser("browser.d.ts"),
        default: parser("browser.js"),
      },
    }),
    ...(name === "inline" && {
      "./robots-parser": { types: parser("inline.d.ts"), workerd: parser("workerd.js"), default: parser("inline.js") },
    }),
    ...(name !== "inline" && { [wasm]: { types: "./module.d.ts", default: wasm } }),
    "./package.json": "./package.json",
  };
  const { license, repository, keywords, type, engines } = shared;
  const sideEffects = ["./node.js", workerd, "./robots-parser-*.js"];
  const description = `${shared.description}${more}; in WebAssembly`;
  const manifest = { name: packageOf(name), version, description, license, repository, keywords, type, engines, sideEffects, exports };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(here, "package/module.d.ts"), join(folder, "module.d.ts"));
  for (const file of ["LICENSE-APACHE", "LICENSE-MIT", "web/README.md"]) cpSync(join(here, "..", file), join(folder, basename(file)));
  // The tests and examples import the packages by their names.
  const link = join(here, "node_modules", manifest.name);
  rmSync(link, { recursive: true, force: true });
  symlinkSync(join("../dist", name), link);
}
