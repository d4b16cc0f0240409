import { shown } from "./given.js";
import * as wasm from "./wasm.js";

/**
 * The kinds of errors.
 *
 * - `invalid-url`: neither a URL nor a path that begins with `/`.
 * - `invalid-name`: a name that no `User-agent` line can name, such as `GPTBot/1.0` or a whole header.
 * - `invalid-header`: headers as text, for rights, with a line that is no `Name: value`.
 * - `cannot-block`: no file shuts the crawlers out and changes nothing else, or it is not proven; the message says why.
 * - `cannot-build`: intentions that no file says, a `CannotBuildError` of `robotsieve-write`.
 * - `freed`: the object was freed.
 * - `out-of-memory`: the module's memory is full, which throws an {@link OutOfMemoryError}. Objects made before it are
 *   lost, and what they held is given back; new ones work.
 * - `lost`: the object was made before an `out-of-memory` or `internal` error. Parse its file again.
 * - `not-initialised`: `await init()` has to come first on this platform.
 * - `cannot-load`: the module was not to be had: not fetched or read, or what came is none. `init` can be called again.
 * - `wrong-module`: `init` was given the module of another variant or version of the package. It can be called again.
 * - `internal`: a bug in this package. Objects made before it are lost; new ones work.
 */
export type ErrorCode =
  | "invalid-url" | "invalid-name" | "invalid-header" | "cannot-block" | "cannot-build" | "freed" | "out-of-memory" | "lost"
  | "not-initialised" | "cannot-load" | "wrong-module" | "internal";

/** A value or an object that cannot be used. Wrong types throw `TypeError`, sizes over the limits `RangeError`. */
export class RobotsieveError extends Error {
  readonly code: ErrorCode;
  /** The name that was probably meant, with `invalid-name`. */
  readonly probablyMeant: string | null;
  /**
   * True if the name is evidently none: a header, or several words. If not, with `invalid-name`, it is one word with a
   * character that no name has in this profile.
   */
  readonly isEvident: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    options: { probablyMeant?: string | null; isEvident?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "RobotsieveError";
    this.code = code;
    this.probablyMeant = options.probablyMeant ?? null;
    this.isEvident = options.isEvident ?? true;
  }
}

/**
 * The module's memory is full: there were too many files at a time, or a question was too large. All objects made before
 * are lost, and their memory is given back. Those made afterwards work: parse the files again, and call `free()` on what
 * is no longer needed.
 */
export class OutOfMemoryError extends RobotsieveError {
  constructor(cause?: unknown) {
    super("out-of-memory", "the module's memory is full: objects made before are lost, so parse their files again", { cause });
    this.name = "OutOfMemoryError";
  }
}

export function freed(what: string): RobotsieveError {
  return new RobotsieveError("freed", `this ${what} was freed`);
}

/** Called when the module's memory is another one: see {@link failed}. */
const resets: (() => void)[] = [];

/** Counts the instances of the module that this process has had. */
let instance = 0;

/** The number of the instance that an object belongs to if it is made now. */
export function currentInstance(): number {
  return instance;
}

export function onReset(forget: () => void): void {
  resets.push(forget);
}

/** The error to throw for what the module threw. `given` is the URL or header in question. */
export function failed(error: unknown, given?: unknown): Error {
  if (error instanceof RobotsieveError) return error;
  if (typeof error === "string") {
    const { code, message, is_header, is_evident, probably_meant } = JSON.parse(error);
    if (code === "invalid-url") return new RobotsieveError(code, `${shown(given)}: ${message}`);
    if (code === "invalid-page") return new RobotsieveError("invalid-url", message);
    const way = is_header ? ": pass { userAgent: header }" : "";
    return new RobotsieveError(code, message + way, { isEvident: is_evident, probablyMeant: probably_meant });
  }
  if (error instanceof Error && error.message.includes("stale object")) {
    return new RobotsieveError("lost", "this object was lost when the module failed: parse its file again");
  }
  const isFull = wasm.isFull();
  // An error's trace holds the instance, and so its memory, until it is read.
  if (error instanceof Error) void error.stack;
  isBroken = true;
  instance += 1;
  try {
    renew();
  } catch {
    // There is no memory for it now: whoever makes an object next tries again.
  }
  return isFull ? new OutOfMemoryError(error) : new RobotsieveError("internal", "the module failed: a bug in robotsieve", { cause: error });
}

/** The module stopped in the middle of something, so nothing in its memory can be relied on. */
let isBroken = false;

/** Begins with a new instance if the last one is broken. */
export function renew(): void {
  if (!isBroken) return;
  try {
    wasm.__wbg_reset_state();
  } catch (error) {
    throw new OutOfMemoryError(error);
  }
  isBroken = false;
  for (const forget of resets) forget();
}
