// The module in a script: for bundlers that leave other files behind. Compressed, since base64 makes it a third larger.

// @ts-ignore: `build.mjs` writes it.
import module from "./inlined.js";

import { RobotsieveError } from "./error.js";
import { load } from "./load.js";

export * from "./index.js";

/** Makes the package ready, on every platform: wait for it first. Call it as often as you like. */
export function init(_source?: unknown): Promise<void> {
  return load(unpacked);
}

function unpacked(): Response {
  const bytes = Uint8Array.from(atob(module), (character) => character.charCodeAt(0));
  let inflated;
  try {
    inflated = new DecompressionStream("deflate-raw");
  } catch (cause) {
    const message = "this platform cannot inflate (it has no DecompressionStream for deflate-raw), which the module in a script needs; " +
      "import the package without inline and give its module to init: robotsieve.wasm?module";
    throw new RobotsieveError("cannot-load", message, { cause });
  }
  return new Response(new Blob([bytes]).stream().pipeThrough(inflated), { headers: { "content-type": "application/wasm" } });
}
