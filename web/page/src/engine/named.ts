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
  try {
    robots.policy(name).free();
    return true;
  } catch (error) {
    const isWrongName = error instanceof RobotsieveError && error.code === "invalid-name";
    if (isWrongName && /^[^\s/;:()@,]+$/.test(name)) return false;
    throw error;
  }
}
