// Compiled, not run, by platforms.test.mjs.

import {
  ALLOW, diff, type ErrorCode, type ExplainReport, init, OutOfMemoryError, Policy, Robots, type RobotsOptions, type Verdict,
} from "robotsieve-full";
import { Robots as Core } from "robotsieve";
import { init as initInline, Robots as Inline } from "robotsieve-inline";
import module from "robotsieve/robotsieve.wasm";
import robotsParser from "robotsieve/robots-parser";
import { buildRobotsTxt, type Intentions, nextRobots, nuxtRobots } from "robotsieve-write";
const robots = new Robots("", { profile: "google" });
const why: ExplainReport = robots.explain({ userAgent: "a" }, "/");
const verdict: Verdict = robots.policy("a").decide("/").verdict;
const answers: Uint8Array = robots.policy(["a", "b"]).verdicts(new Set(["/"]));
const one: boolean | undefined = robotsParser("https://e.com/robots.txt", "").isAllowed("https://e.com/");
const same: boolean = diff(robots, "").result === "equal";
const reasons: string[] = why.sentences.map(({ text }) => text);
robots.policy("a")[Symbol.dispose]();
/** A `URL`, without `lib.dom`. */
declare const address: { readonly href: string; toString(): string };
const mixed: Uint8Array = robots.policy("a").verdicts([address, "/", new Uint8Array(3)]);
robotsParser(address, "").isAllowed(address);
robots.explain("a", address);
buildRobotsTxt({ sitemap: [address] });
init(module);
initInline(address).then(() => new Inline(""));
const code: ErrorCode = new OutOfMemoryError().code;
const options: RobotsOptions = { profile: "google" };
init(new Uint8Array(8));
// @ts-expect-error: no address and no module
init(3);
// @ts-expect-error: a string is no list
diff("", "", { crawlers: "GPTBot" });
// @ts-expect-error: no profile of this name
new Robots("", { profile: "bing" });
// @ts-expect-error: core has no lint
new Core("").lint();
// @ts-expect-error: Policy.of is for the package alone
Policy.of;
/** `MetadataRoute.Robots` as Next.js 16.4.6 publishes it. */
type NextRule = {
  allow?: string | string[] | undefined;
  disallow?: string | string[] | undefined;
  crawlDelay?: number | undefined;
  other?: Record<string, string | number | Array<string | number>> | undefined;
};
type MetadataRobots = {
  rules: (NextRule & { userAgent?: string | string[] | undefined }) | Array<NextRule & { userAgent: string | string[] }>;
  sitemap?: string | string[] | undefined;
  host?: string | undefined;
};
declare const next: MetadataRobots;
const checkedNext: MetadataRobots = nextRobots(next, { expect: "allow Googlebot /" });
/** The options of @nuxtjs/robots 6.2.3 that say what is in the file, as it publishes them, and another one. */
interface NuxtUsage { "bots"?: "y" | "n"; "train-ai"?: "y" | "n"; "ai-output"?: "y" | "n"; "search"?: "y" | "n" }
interface NuxtSignal { "search"?: "yes" | "no"; "ai-input"?: "yes" | "no"; "ai-train"?: "yes" | "no" }
type Arrayable<T> = T | T[];
interface GoogleInput {
  comment?: Arrayable<string>;
  disallow?: Arrayable<string>;
  allow?: Arrayable<string>;
  userAgent?: Arrayable<string>;
  contentUsage?: Arrayable<string> | Partial<NuxtUsage>;
  contentSignal?: Arrayable<string> | Partial<NuxtSignal>;
  _skipI18n?: boolean;
}
interface YandexInput extends GoogleInput { cleanParam?: Arrayable<string> }
interface NuxtOptions {
  sitemap: Arrayable<string>;
  allow: Arrayable<string>;
  disallow: Arrayable<string>;
  groups: (GoogleInput | YandexInput)[];
  credits: boolean;
}
declare const nuxt: NuxtOptions;
const checkedNuxt: NuxtOptions = nuxtRobots(nuxt);
const intentions: Intentions = { groups: [{ crawlers: ["a"], allow_path: "/" }], profiles: "google" };
const built: string = buildRobotsTxt(intentions).text;
// @ts-expect-error: no purpose of a field's name
buildRobotsTxt({ sitemaps: "x" });
export { built, checkedNext, checkedNuxt };
export { ALLOW, answers, code, mixed, one, options, reasons, same, verdict };
