// Builds the package into dist/: `npm run build`.
//
// The module needs a standard library built for size, with panics that stop at once: without that it is a quarter larger.
// So cargo builds that library too (`-Zbuild-std`), from the sources that `rustup component add rust-src` or Debian's
// package rust-web-src brings. RUSTC_BOOTSTRAP lets a stable compiler do so.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
const target = process.env.CARGO_TARGET_DIR ?? join(here, "target");

function run(program, args, env = {}) {
  execFileSync(program, args, { cwd: here, stdio: "inherit", env: { ...process.env, ...env } });
}

/** The compiler that has the sources of its standard library, and its linker. */
function toolchain() {
  const sysroot = (rustc) => {
    try {
      return execFileSync(rustc, ["--print", "sysroot"], { cwd: here, encoding: "utf8" }).trim();
    } catch {
      return null;
    }
  };
  for (const [rustc, cargo] of [["rustc", "cargo"], ["/usr/bin/rustc", "/usr/bin/cargo"]]) {
    const root = sysroot(rustc);
    if (root === null || !existsSync(join(root, "lib/rustlib/src/rust/library/Cargo.toml"))) continue;
    // Debian's compiler has no linker of its own.
    const linkers = root === "/usr" ? readdirSync("/usr/bin").filter((name) => /^wasm-ld(-\d+)?$/.test(name)) : [];
    if (root === "/usr" && linkers.length === 0) continue;
    return { rustc, cargo, linker: linkers.sort().at(-1) };
  }
  console.error(
    "No compiler for WebAssembly found. With rustup: `rustup component add rust-src`.\n" +
      "On Debian: `apt-get install rustc-web cargo-web rust-web-src lld-19`.",
  );
  process.exit(1);
}

const { rustc, cargo, linker } = toolchain();
const triple = "wasm32-unknown-unknown";
const flags = ["-Ctarget-feature=+simd128", "-Zunstable-options", "-Cpanic=immediate-abort"];
const environment = {
  RUSTC: rustc,
  RUSTC_BOOTSTRAP: "1",
  CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: flags.join(" "),
  ...(linker && { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker }),
};

run("cargo", ["build", "--locked", "--profile", "tool", "-p", "robotsieve-bindgen"]);
rmSync(dist, { recursive: true, force: true });
// Core has room for faster code: verdicts take a tenth less time, for 13 kB.
const fast = ["robotsieve", "robotsieve-web"].flatMap((crate) => ["--config", `profile.release.package.${crate}.opt-level=2`]);
const variants = [["known", ["--features=known"]], ["full", []], ["core", ["--no-default-features", ...fast]]];
for (const [name, features] of variants) {
  run(cargo, [
    "build", "--locked", "--release", "-p", "robotsieve-web", "--target", triple,
    "-Zbuild-std=std", "-Zbuild-std-features=optimize_for_size", ...features,
  ], environment);
  const folder = join(dist, name);
  mkdirSync(folder, { recursive: true });
  run(join(target, "tool", "robotsieve-bindgen"), [join(target, triple, "release", "robotsieve_web.wasm"), folder, "wasm"]);
  const made = join(folder, "wasm_bg.wasm");
  run(process.execPath, [
    join(here, "node_modules/binaryen/bin/wasm-opt"), made, name === "core" ? "-Os" : "-Oz",
    // What the compiler uses; Node 20 and browsers since 2021 know all of it.
    ...["simd", "bulk-memory", "bulk-memory-opt", "sign-ext", "mutable-globals", "nontrapping-float-to-int"]
      .concat(["reference-types", "multivalue"]).map((feature) => `--enable-${feature}`),
    "-o", join(folder, "robotsieve.wasm"),
  ]);
  rmSync(made);
}

run(process.execPath, [join(here, "node_modules/typescript/bin/tsc")]);
// The compiler copies no declarations that were written by hand.
cpSync(join(here, "package", "wasm.d.ts"), join(dist, "full", "wasm.d.ts"));
for (const [name, without] of [["core", /(full|known)\./], ["known", /robots-parser/]]) {
  cpSync(join(dist, "full"), join(dist, name), {
    recursive: true,
    filter: (path) => !without.test(basename(path)) && !/(robotsieve\.wasm|wasm\.js)$/.test(path),
  });
}
const names = "ALLOW, DISALLOW, headerNames, INVALID, Policy, PROFILES, Robots, RobotsieveError";
const types = `export type { ErrorCode } from "./core.js";\nexport type * from "./reports.js";\nexport type * from "./types.js";\n`;
for (const [name, index, declared] of [
  ["core", `export { ${names} } from "./core.js";\n`, types],
  ["known", 'export * from "./known.js";\n', ""],
]) {
  writeFileSync(join(dist, name, "index.js"), index);
  writeFileSync(join(dist, name, "index.d.ts"), index + declared);
}
// The interface of robots-parser stands on core alone, and the known crawlers have a module of their own.
for (const file of readdirSync(join(dist, "full"))) {
  if (/^(robots-parser|known\.)/.test(file)) rmSync(join(dist, "full", file));
}
// Their comments are a third of what the scripts are when compressed, and the declarations have them too.
for (const [name] of variants) {
  for (const file of readdirSync(join(dist, name)).filter((file) => file.endsWith(".js"))) {
    const path = join(dist, name, file);
    writeFileSync(path, transformSync(readFileSync(path, "utf8"), { minifyWhitespace: true, minifySyntax: true, target: "es2022" }).code);
  }
}
// npm packs no files from outside this folder.
for (const file of ["LICENSE-APACHE", "LICENSE-MIT"]) cpSync(join(here, "..", file), join(here, file));
