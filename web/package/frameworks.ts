// The robots.txt of frameworks, checked while the site is built.

import { listOf, optionsOf, typeName, urlOf } from "./given.js";
import type { Address, ProfileName } from "./types.js";
import { buildRobotsTxt } from "./write.js";
import type { Intentions, IntentionsGroup, Texts } from "./write-types.js";

/** The rules of {@link NextRobots}. */
export interface NextRobotsRule {
  userAgent?: string | string[] | undefined;
  allow?: string | string[] | undefined;
  disallow?: string | string[] | undefined;
  crawlDelay?: number | undefined;
  other?: Record<string, string | number | Array<string | number>> | undefined;
}

/** What `app/robots.ts` of Next.js returns: its `MetadataRoute.Robots`. */
export interface NextRobots {
  rules: NextRobotsRule | Array<NextRobotsRule & { userAgent: string | string[] }>;
  sitemap?: string | string[] | undefined;
  host?: string | undefined;
}

/** The preferences of a group as `@nuxtjs/robots` takes them: lines, or labels with their values. */
export type NuxtPreferences = Texts | { readonly [label: string]: string | undefined };

/** A group of {@link NuxtRobots}. */
export interface NuxtRobotsGroup {
  comment?: string | string[];
  userAgent?: string | string[];
  allow?: string | string[];
  disallow?: string | string[];
  contentUsage?: NuxtPreferences;
  contentSignal?: NuxtPreferences;
  cleanParam?: string | string[];
  _skipI18n?: boolean;
}

/** The options of `@nuxtjs/robots` that say what is in the file. Others are left as they are. */
export interface NuxtRobots {
  allow?: string | string[];
  disallow?: string | string[];
  groups?: NuxtRobotsGroup[];
  sitemap?: string | string[];
}

/** What {@link nextRobots} returns: a `MetadataRoute.Robots`. */
export interface CheckedNextRobots {
  rules: (NextRobotsRule & { userAgent: string[] })[];
  sitemap?: string[];
  host?: string;
}

/** What {@link nuxtRobots} returns in the place of what was given. */
export interface CheckedNuxtRobots {
  allow: string[];
  disallow: string[];
  groups: {
    comment: string[];
    userAgent: string[];
    allow: string[];
    disallow: string[];
    contentUsage: string[];
    contentSignal: string[];
    cleanParam: string[];
  }[];
  sitemap: string | string[];
}

/** What is expected of a framework's robots.txt. */
export interface FrameworkOptions {
  /** Expectations, such as `allow Googlebot /` and `disallow @ai-training /`. */
  expect?: Texts;
  /** The profiles in which the file must mean what it says. Default: all but `original-1994`. */
  profiles?: ProfileName | readonly ProfileName[];
  /** The site, such as `https://shop.example`: sitemaps are resolved against it. */
  site?: Address | undefined;
}

/**
 * The intentions that Next.js's robots object says. User agents may be purposes too, such as `@ai-training`.
 */
export function fromNext(robots: NextRobots, options?: FrameworkOptions): Intentions {
  const { rules, sitemap, host } = optionsOf(robots, "rules", "sitemap", "host");
  const all: NextRobotsRule[] = rules === undefined ? [] : Array.isArray(rules) ? listOf(rules, "rules") : [rules];
  const groups = all.map((rule): IntentionsGroup => {
    const { userAgent, crawlDelay, other, ...read } = optionsOf(rule, "userAgent", "allow", "disallow", "crawlDelay", "other");
    return {
      crawlers: orAll(userAgent),
      ...read,
      crawl_delay: crawlDelay,
      other: Object.entries(other ?? {}).flatMap(([name, value]) => several(value).map((one) => `${name}: ${one}`)),
    };
  });
  return { groups, sitemap: resolved(sitemap, options?.site), host, ...wanted(options) };
}

/**
 * The robots object for `app/robots.ts` of Next.js, checked: it throws while the site is built if a crawler would read the
 * file otherwise than it is meant, or if an expectation does not hold.
 *
 * Returns an object for Next.js that says the same: with values escaped, and with the names of known crawlers in the place
 * of purposes such as `@ai-training`.
 *
 * ```ts
 * import { nextRobots } from "robotsieve-write";
 *
 * export default () => nextRobots(
 *   { rules: [{ userAgent: "@ai-training", disallow: "/" }, { userAgent: "*", disallow: "/cart" }] },
 *   { expect: ["allow Googlebot /", "disallow GPTBot /"] },
 * );
 * ```
 */
export function nextRobots(robots: NextRobots, options?: FrameworkOptions): CheckedNextRobots {
  const { groups, sitemap, host } = parts(buildRobotsTxt(fromNext(robots, options)).text);
  const rules = groups.map(({ userAgent, allow, disallow, crawlDelay, other }) => ({
    userAgent,
    // Next.js leaves out an empty Disallow, and the group would run into the next one.
    ...(allow.length + disallow.length === 0 && { allow: "/" }),
    ...(allow.length > 0 && { allow }),
    ...(disallow.length > 0 && { disallow }),
    ...(crawlDelay !== undefined && { crawlDelay }),
    ...(other.length > 0 && { other: grouped(other) }),
  }));
  return { rules, ...(sitemap.length > 0 && { sitemap }), ...(host !== undefined && { host }) };
}

/** The intentions that the options of `@nuxtjs/robots` say. User agents may be purposes too, such as `@ai-training`. */
export function fromNuxt(robots: NuxtRobots, options?: FrameworkOptions): Intentions {
  const { allow = [], disallow = [], groups: given = [], sitemap } = robots;
  const groups = listOf(given, "groups").map((group): IntentionsGroup => {
    const { userAgent, contentUsage, contentSignal, cleanParam, _skipI18n: _, ...read } = optionsOf(
      group, "userAgent", "allow", "disallow", "comment", "contentUsage", "contentSignal", "cleanParam", "_skipI18n",
    );
    return {
      crawlers: orAll(userAgent),
      ...read,
      content_usage: preferences(contentUsage),
      content_signal: preferences(contentSignal),
      other: several(cleanParam ?? []).map((value) => `Clean-param: ${value}`),
    };
  });
  if (several(allow).length + several(disallow).length > 0) groups.push({ crawlers: "*", allow, disallow });
  return { groups, sitemap: resolved(sitemap, options?.site), ...wanted(options) };
}

/**
 * The options of `@nuxtjs/robots`, checked: it throws while the site is built if a crawler would read the file otherwise
 * than it is meant, or if an expectation does not hold.
 *
 * Returns the options with groups that say the same: with values escaped, and with the names of known crawlers in the
 * place of purposes such as `@ai-training`. All other options are as they were. What the module adds to the file
 * (`blockAiBots`, routes, a file of its own) is not known here.
 */
export function nuxtRobots<Options extends NuxtRobots>(
  robots: Options, options?: FrameworkOptions,
): Omit<Options, keyof CheckedNuxtRobots> & CheckedNuxtRobots {
  const { groups } = parts(buildRobotsTxt(fromNuxt(robots, options)).text);
  const checked = groups.map(({ comment, userAgent, allow, disallow, other }) => {
    const of = (name: string) => other.filter(([field]) => field === name).map(([, value]) => value);
    // The module writes nothing for a group without rules, and it would run into the next one.
    if (allow.length + disallow.length === 0) allow.push("/");
    return { comment, userAgent, allow, disallow, contentUsage: of("Content-Usage"), contentSignal: of("Content-Signal"), cleanParam: of("Clean-param") };
  });
  return { ...robots, allow: [], disallow: [], groups: checked, sitemap: robots.sitemap ?? [] };
}

/** The options for building. */
function wanted(options: FrameworkOptions | undefined): Pick<Intentions, "expect" | "profiles"> {
  const { expect, profiles } = optionsOf(options, "expect", "profiles", "site");
  return { expect, profiles };
}

/** One value or several. */
function several<T extends string | number>(value: T | readonly T[]): readonly T[] {
  return typeof value === "object" ? listOf(value, "a list") : [value];
}

/** The user agents of a group: all if none are given. */
function orAll(userAgent: string | string[] | undefined): Texts {
  const all = several(userAgent ?? []);
  return all.length === 0 || userAgent === "" ? "*" : all;
}

function resolved(sitemap: NextRobots["sitemap"], given: Address | undefined): Texts | undefined {
  if (sitemap === undefined || given === undefined) return sitemap;
  const site = urlOf(given);
  return several(sitemap).map((one) => (/^[a-z][a-z0-9+.-]*:/i.test(one) ? one : `${site.replace(/\/+$/, "")}/${one.replace(/^\/+/, "")}`));
}

function preferences(given: NuxtPreferences | undefined): Texts | undefined {
  if (given === undefined || typeof given === "string" || Symbol.iterator in given) return given as Texts | undefined;
  const labels = Object.entries(given as { [label: string]: string | undefined }).filter(([, value]) => value !== undefined);
  for (const [label, value] of labels) {
    if (typeof value !== "string") throw new TypeError(`the preference ${label} must be a string, not ${typeName(value)}`);
  }
  return labels.length === 0 ? [] : labels.map(([label, value]) => `${label}=${value}`).join(", ");
}

/** A group of a file that was built. */
interface Part {
  comment: string[];
  userAgent: string[];
  allow: string[];
  disallow: string[];
  crawlDelay?: number;
  /** Names and values. */
  other: [string, string][];
}

/** The parts of a file that was built: its form is known, so nothing else has to be read. */
function parts(text: string): { groups: Part[]; sitemap: string[]; host: string | undefined } {
  const groups: Part[] = [];
  const sitemap: string[] = [];
  let [host, comment, group]: [string | undefined, string[], Part | undefined] = [undefined, [], undefined];
  for (const line of text.split("\n")) {
    if (line === "") {
      [comment, group] = [[], undefined];
      continue;
    }
    if (line.startsWith("#")) {
      comment.push(line.slice(2));
      continue;
    }
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 2)];
    if (name === "User-agent") {
      if (group === undefined) groups.push((group = { comment, userAgent: [], allow: [], disallow: [], other: [] }));
      group.userAgent.push(value);
    } else if (group === undefined) {
      if (name === "Sitemap") sitemap.push(value);
      else if (name === "Host") host = value;
    } else if (name === "Allow") group.allow.push(value);
    else if (name === "Disallow") group.disallow.push(...(value === "" ? [] : [value]));
    else if (name === "Crawl-delay") group.crawlDelay = Number(value);
    else group.other.push([name, value]);
  }
  return { groups, sitemap, host };
}

/** Values by name. */
function grouped(records: [string, string][]): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const [name, value] of records) (all[name] ??= []).push(value);
  return all;
}
