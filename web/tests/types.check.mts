// Compiled, not run, by platforms.test.mjs.

import {
  ALLOW, diff, type ErrorCode, type ExplainReport, init, OutOfMemoryError, Policy, Robots, type RobotsOptions, type Verdict,
} from "robotsieve";
import { Robots as Core } from "robotsieve/core";
import robotsParser from "robotsieve/robots-parser";
const robots = new Robots("", { profile: "google" });
const why: ExplainReport = robots.explain({ userAgent: "a" }, "/");
const verdict: Verdict = robots.policy("a").decide("/").verdict;
const answers: Uint8Array = robots.policy(["a", "b"]).verdicts(new Set(["/"]));
const one: boolean | undefined = robotsParser("https://e.com/robots.txt", "").isAllowed("https://e.com/");
const same: boolean = diff(robots, "").result === "equal";
const reasons: string[] = why.sentences.map(({ text }) => text);
robots.policy("a")[Symbol.dispose]();
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
export { ALLOW, answers, code, one, options, reasons, same, verdict };
