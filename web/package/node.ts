// Node, Bun and Deno: the module is read from beside this file, and ready at import.

import { readFileSync } from "node:fs";

import { ready } from "./bytes.js";
import { initSync } from "./wasm.js";

export * from "./index.js";

initSync({ module: readFileSync(new URL("robotsieve.wasm", import.meta.url)) });
ready();

/** The module is ready at import here: returns at once. */
export async function init(_source?: unknown): Promise<void> {}
