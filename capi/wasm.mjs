// Builds the WebAssembly module without imports:
//
//     node capi/wasm.mjs [FILE]           # target/capi/robotsieve.wasm if none is named
//     node capi/wasm.mjs --quick [FILE]   # for tests: the module before it is made small
//
// It needs `npm ci` in web/, for wasm-opt, and the sources of Rust's standard library: see web/toolchain.mjs.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { compiler, known, quick, triple, wasmOpt } from "../web/toolchain.mjs";

const repository = fileURLToPath(new URL("..", import.meta.url));
const target = resolve(repository, process.env.CARGO_TARGET_DIR ?? "target");
const isQuick = process.argv[2] === "--quick";
const file = resolve(process.argv[isQuick ? 3 : 2] ?? join(target, "capi/robotsieve.wasm"));
if (!isQuick && !existsSync(wasmOpt)) {
  console.error("wasm-opt is missing: run `npm ci` in web/");
  process.exit(1);
}

const run = (program, args, env = {}) =>
  execFileSync(program, args, { cwd: repository, stdio: "inherit", env: { ...process.env, ...env } });

// No SIMD: not all of the hosts that this is for have it.
const { cargo, environment, options } = compiler();
// What Debian's compiler has built is no use to another one.
const folder = join(target, "wasm");
run(cargo, ["rustc", "--lib", "-p", "robotsieve-capi", "--crate-type", "cdylib", "--profile", "wasm", ...options, ...(isQuick ? quick("wasm") : [])], {
  ...environment,
  CARGO_TARGET_DIR: folder,
});
const compiled = join(folder, triple, "wasm", "robotsieve_capi.wasm");
mkdirSync(dirname(file), { recursive: true });
rmSync(file, { force: true });
if (isQuick) copyFileSync(compiled, file);
else run(process.execPath, [wasmOpt, compiled, "-Os", "--strip-producers", ...known, "-o", file]);
console.log(`${file}: ${statSync(file).size} bytes`);
