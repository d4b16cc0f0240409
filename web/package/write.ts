import { answer, assertReady, call } from "./bytes.js";
import { PROFILES } from "./core.js";
import { RobotsieveError } from "./error.js";
import { listOf, optionsOf, shown, stringOf, typeName, urlOf } from "./given.js";
import type { BuildFault, BuildReport } from "./reports.js";
import type { Address, ProfileName } from "./types.js";
import * as wasm from "./wasm.js";
import type { BuiltRobotsTxt, Intentions, IntentionsGroup } from "./write-types.js";

export type * from "./write-types.js";

/** The longest value, in characters: of a comment or a pattern. */
const MAX_VALUE_LENGTH = 20_000;
/** How many values are taken. */
const MAX_VALUES = 200_000;

/** Intentions that no file says, or that are wrong: {@link CannotBuildError.faults} has every reason, with its place. */
export class CannotBuildError extends RobotsieveError {
  /** At least one. */
  readonly faults: readonly BuildFault[];
  /** True if all values are fine, but some profile would read the file otherwise, or an expectation would not hold. */
  readonly isUnproven: boolean;

  constructor(faults: readonly BuildFault[], isUnproven: boolean) {
    const lines = faults.slice(0, 20).map(({ place, message }) => (place === "" ? message : `${place}: ${message}`));
    const more = faults.length - lines.length;
    super("cannot-build", [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("\n"));
    this.name = "CannotBuildError";
    this.faults = faults;
    this.isUnproven = isUnproven;
  }
}

/**
 * Builds the shortest plain robots.txt that says what is wanted, after proving that the profiles read it so: for each
 * crawler of a group, for `*` and for all other known crawlers, over all URLs.
 *
 * Throws a {@link CannotBuildError} if a value cannot stand in a file, if a profile would read the file otherwise than
 * asked for, or if an expectation does not hold.
 */
export function buildRobotsTxt(intentions: Intentions): BuiltRobotsTxt {
  assertReady();
  const { crawl, add } = reader();
  const all = optionsOf(intentions, "groups", "sitemap", "license", "host", "comment", "expect", "profiles");
  for (const field of ["sitemap", "license", "host", "comment", "expect"] as const) add(field, all[field], field);
  const profiles = textsOf(all.profiles, "profiles");
  for (const profile of profiles) {
    if (!PROFILES.includes(profile as ProfileName)) throw new RangeError(`there is no profile ${shown(profile)}`);
  }
  add("profiles", profiles, "profiles");
  for (const [number, group] of (all.groups === undefined ? [] : listOf(all.groups, "groups")).entries()) {
    const place = `groups[${number}]`;
    if (typeof group !== "object" || group === null) throw new TypeError(`${place} must be an object, not ${typeName(group)}`);
    const read = optionsOf<IntentionsGroup>(group, ...FIELDS, "crawl_delay");
    crawl.push((raw) => raw.group());
    for (const field of FIELDS) add(field, read[field], `${place}.${field}`);
    const { crawl_delay: delay } = read;
    if (delay === undefined) continue;
    if (typeof delay !== "number") throw new TypeError(`${place}.crawl_delay must be a number, not ${typeName(delay)}`);
    crawl.push((raw) => raw.crawlDelay(delay));
  }
  // Everything was read before: a getter may call this too.
  const report = call(() => {
    const raw = new wasm.RawIntentions();
    for (const step of crawl) step(raw);
    return raw.build();
  });
  const { text, profiles: proven, notes, faults, unproven } = answer<BuildReport>(report);
  if (text === null) throw new CannotBuildError(faults, unproven);
  return { text, profiles: proven as ProfileName[], notes };
}

const FIELDS = [
  "crawlers", "allow", "disallow", "allow_path", "disallow_path", "content_signal", "content_usage", "license", "comment", "other",
] as const;

/** The steps that give values to the module, and what adds to them. */
function reader() {
  const crawl: ((raw: wasm.RawIntentions) => void)[] = [];
  const add = (field: string, value: unknown, what: string) => {
    for (const text of textsOf(value, what)) {
      if (crawl.length >= MAX_VALUES) throw new RangeError(`there must not be more than ${MAX_VALUES} values`);
      crawl.push((raw) => void raw.add(field, text));
    }
  };
  return { crawl, add };
}

/** One text or several. `what` is their name in errors. */
function textsOf(value: unknown, what: string): string[] {
  if (value === undefined || value === null) return [];
  const one = urlOf(value as Address);
  const all = typeof one === "string" ? [one] : listOf(value as Iterable<Address>, what);
  // JavaScript's lone halves of characters would become U+FFFD.
  return all.map((text) => stringOf(urlOf(text), `a value of ${what}`, MAX_VALUE_LENGTH));
}
