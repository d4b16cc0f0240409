// Node, Bun and Deno: the module is read from beside this file, and ready at import.

import { readFileSync } from "node:fs";

import { cannotLoad, loadSync } from "./load.js";

export * from "./index.js";

loadSync(read());

function read(): Uint8Array {
  try {
    return readFileSync(new URL("robotsieve.wasm", import.meta.url));
  } catch (cause) {
    throw cannotLoad(`the module was not read: ${cause instanceof Error ? cause.message : cause}`, cause);
  }
}

/** The module is ready at import here: returns at once. */
export async function init(_source?: unknown): Promise<void> {}
