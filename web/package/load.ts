// From what is given for the module to the module, ready. Each module says which scripts it is for.

import { ready } from "./bytes.js";
import { RobotsieveError } from "./error.js";
import { shown } from "./given.js";
import instantiate, { initSync } from "./wasm.js";

/** The name, version and interface of the module of these scripts, as its section `robotsieve` has them: see `build.mjs`. */
declare const PAIRING: string;

/** What has the same with the module in a script. */
declare const INLINE: string;

const WAY_OUT = `if a bundler has left it behind, import ${INLINE}, or see Bundlers in the README of robotsieve`;

let loading: Promise<void> | undefined;

/** Loads the module once, from what the first call gives. After a failure, the next call tries again. */
export function load(given: () => unknown): Promise<void> {
  loading ??= loaded(given).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function loaded(given: () => unknown): Promise<void> {
  const module = paired(await compiled(given()));
  await instantiate({ module_or_path: module });
  ready();
}

/** The same at once, of a module or its bytes, where the platform lets scripts wait. */
export function loadSync(given: object): void {
  initSync({ module: paired(isModule(given) ? (given as WebAssembly.Module) : new WebAssembly.Module(given as BufferSource)) });
  ready();
}

/** True for a module of this realm or another, as edge runtimes and Node's `vm` give it: `instanceof` knows its own only. */
function isModule(given: unknown): boolean {
  return Object.prototype.toString.call(given) === "[object WebAssembly.Module]";
}

/** The error of a module that cannot be had. */
export function cannotLoad(message: string, cause?: unknown): RobotsieveError {
  return new RobotsieveError("cannot-load", `${message}; ${WAY_OUT}`, { cause });
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : shown(error);
}

async function compiled(given: unknown): Promise<WebAssembly.Module> {
  let name = "what was given for the module";
  let source: unknown;
  try {
    source = await given;
  } catch (cause) {
    throw cannotLoad(`the module was not fetched: ${wordsOf(cause)}`, cause);
  }
  if (typeof source === "string" || source instanceof URL || (typeof Request === "function" && source instanceof Request)) {
    name = source instanceof Request ? source.url : String(source);
    try {
      source = await fetch(source);
    } catch (cause) {
      throw cannotLoad(`the module was not fetched from ${name}: ${wordsOf(cause)}`, cause);
    }
  }
  if (typeof Response === "function" && source instanceof Response) {
    name = source.url || "the response given for the module";
    if (!source.ok) throw cannotLoad(`the module was not fetched: ${name} answered ${source.status}`);
    const type = source.headers.get("content-type") ?? "none";
    name += `, of the type ${type},`;
    // Only with this type may it be compiled while it arrives.
    if (type.toLowerCase() !== "application/wasm") source = await source.arrayBuffer();
  }
  if (isModule(source)) return source as WebAssembly.Module;
  try {
    return await (source instanceof Response ? WebAssembly.compileStreaming(source) : WebAssembly.compile(source as BufferSource));
  } catch (cause) {
    throw cannotLoad(`${name} is no module: ${wordsOf(cause)}`, cause);
  }
}

/** The module, if it is the one that these scripts were built with. Another one would crash, or give wrong answers. */
function paired(module: WebAssembly.Module): WebAssembly.Module {
  const [section] = WebAssembly.Module.customSections(module, "robotsieve");
  const found = section && new TextDecoder().decode(section);
  if (found === PAIRING) return module;
  const what = found === undefined ? "a module of something else" : `the module of ${found}`;
  throw new RobotsieveError("wrong-module", `this script is of ${PAIRING}, but was given ${what}: take both from one package`);
}
