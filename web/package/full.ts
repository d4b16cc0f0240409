import { assertReady, call, written } from "./bytes.js";
import { profileNumber, rawOf, release, Robots as CoreRobots } from "./core.js";
import { currentInstance, shown, typeName } from "./error.js";
import type { Diff, DiffOptions, Fixed, FixOptions, LintCode, LintOptions, LintReport, Text } from "./types.js";
import * as wasm from "./wasm.js";

export type * from "./types.js";
export { ALLOW, DISALLOW, headerNames, INVALID, Policy, PROFILES, RobotsieveError, type ErrorCode } from "./core.js";

/** Everything of {@link CoreRobots}, and `lint` and `fix`. */
export class Robots extends CoreRobots {
  /**
   * What is wrong with the file, and what has no effect. Each finding has a span, and many have a fix whose effect on
   * verdicts is proven.
   */
  lint(options: LintOptions = {}): LintReport {
    const raw = rawOf(this);
    const [profiles, contentType] = this.#asked(options);
    return JSON.parse(call(() => raw.lint(profiles, contentType)));
  }

  /** The file with the fixes of {@link Robots.lint} applied, until none is left. What they do together is proven too. */
  fix(options: FixOptions = {}): Fixed {
    const raw = rawOf(this);
    const [profiles, contentType] = this.#asked(options);
    const { apply = "unchanging", codes } = options;
    if (apply !== "unchanging" && apply !== "all") {
      throw new RangeError(`apply must be "unchanging" or "all", not ${shown(apply)}`);
    }
    for (const code of codes ?? []) {
      if (typeof code !== "string" || !call(() => wasm.isLintCode(code))) {
        throw new RangeError(`there is no kind of finding ${shown(code)}`);
      }
    }
    const fixed = call(() => raw.fix(profiles, contentType, apply === "all", codes?.join(",")));
    const bytes = call(() => fixed.file());
    const json = JSON.parse(call(() => fixed.json()));
    release(fixed, currentInstance());
    return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), bytes, ...json };
  }

  #asked({ profiles = [this.profile], contentType }: LintOptions): [Uint8Array, string | undefined] {
    if (contentType !== undefined && typeof contentType !== "string") {
      throw new TypeError(`contentType must be a string, not ${typeName(contentType)}`);
    }
    return [Uint8Array.from(profiles, profileNumber), contentType];
  }
}

/** All kinds of findings of {@link Robots.lint}, by number. */
export function lintCodes(): LintCode[] {
  assertReady();
  return JSON.parse(call(() => wasm.lintCodes()));
}

/**
 * What changed from one robots.txt to another, in meaning and not in text: for each crawler the paths that opened and
 * closed, the shortest first, or a proof that nothing changed.
 *
 * The work has a bound: what is beyond it is reported as unproven.
 */
export function diff(before: CoreRobots | Text, after: CoreRobots | Text, options: DiffOptions = {}): Diff {
  assertReady();
  const { crawlers = [], examples = 5 } = options;
  if (!Number.isInteger(examples) || examples < 1 || examples > 1000) {
    throw new RangeError("examples must be an integer from 1 to 1000");
  }
  const given = [before, after].find((file) => file instanceof CoreRobots);
  const profile = options.profile ?? (given as CoreRobots | undefined)?.profile ?? "rfc9309";
  const who = written(crawlers);
  const made: CoreRobots[] = [];
  const raw = (file: CoreRobots | Text) => {
    if (file instanceof CoreRobots && file.profile === profile) return rawOf(file);
    const robots = new CoreRobots(file instanceof CoreRobots ? file.text : file, { profile });
    made.push(robots);
    return rawOf(robots);
  };
  try {
    const files = [raw(before), raw(after)] as const;
    return JSON.parse(call(() => wasm.diffFiles(...files, who, examples)));
  } finally {
    for (const robots of made) robots.free();
  }
}
