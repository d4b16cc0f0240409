// Browsers, pages and workers alike: the module has to be fetched.

import { ready } from "./bytes.js";
import load from "./wasm.js";

export * from "./index.js";

/**
 * Makes the package ready. Needed in browsers (pages and workers) only; in Node and in Cloudflare's workers it is ready
 * at import, and this returns at once. Call it as often as you like.
 *
 * @param source where the module is: its address (a string or a `URL`), a `Response` or the promise of one, its bytes, or
 * a `WebAssembly.Module`. Default: `robotsieve.wasm` beside this file.
 */
// Only `object`, so that the declarations need no `lib.dom`.
export async function init(source?: string | object): Promise<void> {
  await load({ module_or_path: source ?? new URL("robotsieve.wasm", import.meta.url) });
  ready();
}
