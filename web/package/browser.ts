// Browsers, pages and workers alike: the module has to be fetched.

import { load } from "./load.js";

export * from "./index.js";

/**
 * Makes the package ready. Needed in browsers (pages and workers) only; in Node and in Cloudflare's workers it is ready
 * at import, and this returns at once. Call it as often as you like.
 *
 * Throws a {@link RobotsieveError} with the code `cannot-load` if the module cannot be fetched or is none, and with the
 * code `wrong-module` if it is another variant's or version's. Afterwards, it can be called again.
 *
 * @param source where the module is: its address (a string or a `URL`), a `Response` or the promise of one, its bytes, or
 * a `WebAssembly.Module`. Default: the module beside this file.
 */
// Only `object`, so that the declarations need no `lib.dom`.
export function init(source?: string | object): Promise<void> {
  return load(() => source ?? new URL("robotsieve.wasm", import.meta.url));
}
