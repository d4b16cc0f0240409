// The module in a script: for bundlers that leave other files behind. Compressed, since base64 makes it a third larger.

// @ts-ignore: `build.mjs` writes it.
import module from "./inlined.js";

import { load } from "./load.js";

export * from "./index.js";

/** Makes the package ready, on every platform: wait for it first. Call it as often as you like. */
export function init(_source?: unknown): Promise<void> {
  return load(unpacked);
}

function unpacked(): Response {
  const bytes = Uint8Array.from(atob(module), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream, { headers: { "content-type": "application/wasm" } });
}
