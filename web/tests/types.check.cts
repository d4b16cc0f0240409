// Compiled, not run, by platforms.test.mjs.

import { Robots } from "robotsieve-full";
import robotsParser = require("robotsieve/robots-parser");
const one: boolean | undefined = robotsParser("https://e.com/robots.txt", "").isAllowed("https://e.com/");
const other: boolean = new Robots("").isAllowed("a", "/");
export { one, other };
