/** Crawlers by names that not every profile takes for a name. */

import { type Crawler, type Robots, RobotsieveError } from "robotsieve";

/**
 * What stands for a crawler with these names. The package refuses a name that no line of the profile can name, such as
 * `mj12bot` in profile `google`. A crawler that no group can name is one that no group names: `*`. The command says the same.
 *
 * @throws RobotsieveError if a name looks like a header or several words, which is a mistake in any profile.
 */
export function named(robots: Robots, names: readonly string[]): Crawler {
  const can = names.filter((name) => isNameable(robots, name));
  if (can.length === names.length) return names;
  return can.length > 0 ? can : "*";
}

export function isNameable(robots: Robots, name: string): boolean {
  return wrongName(robots, name) === null;
}

/** Why no group can name it. */
function wrongName(robots: Robots, name: string): RobotsieveError | null {
  try {
    robots.policy(name).free();
    return null;
  } catch (error) {
    const isWrongName = error instanceof RobotsieveError && error.code === "invalid-name";
    if (isWrongName && /^[^\s/;:()@,]+$/.test(name)) return error;
    throw error;
  }
}

/** What is wrong with names that no group can name, and what follows. `null`: nothing. */
export function wrongNames(robots: Robots, names: readonly string[]): string | null {
  const wrong = names.flatMap((name) => {
    const error = wrongName(robots, name);
    return error ? [{ name, meant: error.probablyMeant }] : [];
  });
  if (wrong.length === 0) return null;
  const all = wrong.map(({ name, meant }) => {
    const line = meant === null ? "" : ` (a line with it names “${meant}”)`;
    return `“${name}” is not a product token, so no group can name it${line}`;
  });
  return `${all.join("; ")}: ${wrong.length === names.length ? "the group of * decides" : "the other names decide"}.`;
}
