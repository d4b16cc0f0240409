// What compiles Rust for WebAssembly, for the module of this package and for that of capi/.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

export const triple = "wasm32-unknown-unknown";

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

/**
 * The command, its environment and its arguments after `build`, which compile a module with a standard library built for
 * size and panics that stop at once: without that it is a quarter larger. RUSTC_BOOTSTRAP lets a stable compiler do so.
 */
export function compiler(features = []) {
  const { rustc, cargo, linker } = toolchain();
  const flags = [...features.map((feature) => `-Ctarget-feature=+${feature}`), "-Zunstable-options", "-Cpanic=immediate-abort"];
  return {
    cargo,
    environment: {
      RUSTC: rustc,
      RUSTC_BOOTSTRAP: "1",
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: flags.join(" "),
      ...(linker && { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker }),
    },
    options: ["--locked", "--target", triple, "-Zbuild-std=std", "-Zbuild-std-features=optimize_for_size"],
  };
}

/** What cargo is told of a profile to build a module for tests: each crate alone, which takes a fraction of the time. */
export const quick = (profile) => [`profile.${profile}.lto="off"`, `profile.${profile}.codegen-units=16`].flatMap((value) => ["--config", value]);

/** The tool that makes a module small, and what it must know of the module: the instructions that the compiler uses. */
export const wasmOpt = join(here, "node_modules/binaryen/bin/wasm-opt");
export const known = ["bulk-memory", "bulk-memory-opt", "sign-ext", "mutable-globals", "nontrapping-float-to-int"]
  .concat(["reference-types", "multivalue"]).map((feature) => `--enable-${feature}`);
