// Cloudflare's workers, which compile modules when they are deployed: ready at import.

// @ts-ignore: only the platform's bundler knows what an import of a module is.
import module from "./robotsieve.wasm";

import { loadSync } from "./load.js";

export * from "./index.js";

loadSync(module);

/** The module is ready at import here: returns at once. */
export async function init(_source?: unknown): Promise<void> {}
