// Browsers, pages and workers alike: the module has to be fetched.

import { ready } from "./bytes.js";
import load from "./wasm.js";

export * from "./index.js";

/**
 * Makes the package ready. Needed in browsers (pages and workers) only; in Node and in Cloudflare's workers it is ready
 * at import, and this returns at once. Call it as often as you like.
 *
 * @param source where the module is: a URL, a `Response`, its bytes, or a compiled module. Default: `robotsieve.wasm`
 * beside this file.
 */
export async function init(
  source?: string | URL | Response | PromiseLike<Response> | BufferSource | WebAssembly.Module,
): Promise<void> {
  await load({ module_or_path: source ?? new URL("robotsieve.wasm", import.meta.url) });
  ready();
}
