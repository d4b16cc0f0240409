import { answer, assertReady, call, MAX_NAME_LENGTH, written } from "./bytes.js";
import { isProfileNamed, profileNumber, rawOf, release, Robots as CoreRobots } from "./core.js";
import { currentInstance } from "./error.js";
import { listOf, optionsOf, shown, someOf, stringOf } from "./given.js";
import type { DiffReport, FixReport, LintReport } from "./reports.js";
import type { DiffOptions, Fixed, FixOptions, LintCode, LintOptions, Text } from "./types.js";
import * as wasm from "./wasm.js";

export type * from "./reports.js";
export type * from "./types.js";
export {
  ALLOW, DISALLOW, headerNames, INVALID, OutOfMemoryError, Policy, PROFILES, RobotsieveError, type ErrorCode,
} from "./core.js";

/** Everything of {@link CoreRobots}, and `lint` and `fix`. */
export class Robots extends CoreRobots {
  /**
   * The mistakes in the file, and its lines without effect. Each finding has a span, and many have a fix whose effect on
   * verdicts is proven.
   */
  lint(options?: LintOptions): LintReport {
    const [profiles, contentType] = this.#asked(optionsOf(options, "profiles", "contentType"));
    const raw = rawOf(this);
    return answer(call(() => raw.lint(profiles, contentType)));
  }

  /** The file with the fixes of {@link Robots.lint} applied, until none is left. What they do together is proven too. */
  fix(options?: FixOptions): Fixed {
    const read = optionsOf(options, "apply", "codes", "profiles", "contentType");
    const [profiles, contentType] = this.#asked(read);
    const { apply = "unchanging" } = read;
    if (apply !== "unchanging" && apply !== "all") {
      throw new RangeError(`apply must be "unchanging" or "all", not ${shown(apply)}`);
    }
    const codes = read.codes === undefined ? undefined : codesOf(listOf(read.codes, "codes"));
    const [raw, instance] = [rawOf(this), currentInstance()];
    const fixed = call(() => raw.fix(profiles, contentType, apply === "all", codes?.join()));
    try {
      const bytes = call(() => fixed.file());
      const report = answer<FixReport>(call(() => fixed.json()));
      return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), bytes, report };
    } finally {
      release(fixed, instance);
    }
  }

  #asked({ profiles = [this.profile], contentType }: LintOptions): [Uint8Array, string | undefined] {
    // Each profile once, however often it is given.
    const numbers = new Set(someOf(profiles, "profiles").map(profileNumber));
    const type = contentType === undefined ? undefined : stringOf(contentType, "contentType", MAX_NAME_LENGTH);
    return [Uint8Array.from(numbers), type];
  }
}

/** All kinds of findings of {@link Robots.lint}, by number. */
export function lintCodes(): LintCode[] {
  assertReady();
  return answer(call(() => wasm.lintCodes()));
}

/** The numbers of kinds of findings that were given by number or name. */
function codesOf(codes: string[]): string[] {
  const all = lintCodes();
  return codes.map((given) => {
    const wanted = stringOf(given, "a code", 100).toLowerCase();
    const found = all.find(({ code, name }) => code.toLowerCase() === wanted || name === wanted);
    if (found === undefined) throw new RangeError(`there is no kind of finding ${shown(given)}`);
    return found.code;
  });
}

/**
 * The changes from one robots.txt to another, in meaning and not in text: for each crawler the paths that opened and
 * closed, the shortest first, or a proof that nothing changed. Where no profile is named, here or for the
 * {@link Robots}, known crawlers read both files as their operators do.
 *
 * The work has a bound: what is beyond it is reported as unproven.
 */
export function diff(before: CoreRobots | Text, after: CoreRobots | Text, options?: DiffOptions): DiffReport {
  assertReady();
  const read = optionsOf(options, "crawlers", "examples", "profile");
  const { examples = 5 } = read;
  if (!Number.isInteger(examples) || examples < 1 || examples > 1000) {
    throw new RangeError("examples must be an integer from 1 to 1000");
  }
  const given = [before, after].find((file) => file instanceof CoreRobots);
  const profile = read.profile ?? (given as CoreRobots | undefined)?.profile ?? "rfc9309";
  const isNamed = read.profile !== undefined || (given !== undefined && isProfileNamed(given as CoreRobots));
  const who = written(read.crawlers === undefined ? [] : someOf(read.crawlers, "crawlers"));
  const made: CoreRobots[] = [];
  const robotsOf = (file: CoreRobots | Text) => {
    if (file instanceof CoreRobots && file.profile === profile) return file;
    const isRobots = file instanceof CoreRobots;
    const name = isRobots && file.name !== null ? { name: file.name } : {};
    const robots = new CoreRobots(isRobots ? call(() => rawOf(file).file()) : file, { profile, ...name });
    made.push(robots);
    return robots;
  };
  try {
    const files = [robotsOf(before), robotsOf(after)] as const;
    // Both are there, or nothing is asked.
    const [old, now] = [rawOf(files[0]), rawOf(files[1])];
    return answer(call(() => wasm.diffFiles(old, now, who, examples, isNamed)));
  } finally {
    for (const robots of made) robots.free();
  }
}
