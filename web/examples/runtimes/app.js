// As README.md says to use the packages, without Node: in Deno and Bun.

import { init, Robots } from "robotsieve";
import robotsParser from "robotsieve/robots-parser";
import { init as initInline, Robots as InlineRobots } from "robotsieve-inline";
import { diff, RobotsieveError } from "robotsieve-full";
import { buildRobotsTxt, RightsReader } from "robotsieve-write";

await Promise.all([init(), initInline()]);
const file = "User-agent: *\nDisallow: /a\n";
const parser = robotsParser("https://example.com/robots.txt", file);
let code;
try {
  diff(new Uint8Array(9 << 20), "");
} catch (error) {
  code = error instanceof RobotsieveError ? error.code : error.name;
}
console.log(JSON.stringify([
  [Robots, InlineRobots].map((Robots) => [...new Robots(file).policy("MyCrawler").verdicts(["/a", "/b", "no URL"])]),
  parser.isAllowed("https://example.com/a", "MyCrawler"),
  diff(file, "").result,
  code,
  new RightsReader("MyCrawler").rights("https://example.com/a", { robots: file }).crawl,
  buildRobotsTxt({ groups: [{ crawlers: "*", disallow: "/a" }] }).text === file,
]));
