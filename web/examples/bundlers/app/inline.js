// The package has the module in a script. Two of them in one bundle do not disturb each other.

import { init, Robots } from "robotsieve-full/inline";
import robotsParser, { init as initParser } from "robotsieve-inline/robots-parser";
import { answers, tell } from "./answers.js";

tell(Promise.all([init(), initParser()]).then(() => {
  const parser = robotsParser("https://example.com/robots.txt", "User-agent: *\nDisallow: /a\n");
  const [a, b] = answers({ Robots });
  return [a === parser.isAllowed("https://example.com/a") && a, b];
}));
