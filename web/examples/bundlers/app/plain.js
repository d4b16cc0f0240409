// As README.md says to use the package in browsers.

import { init, Robots } from "robotsieve";
import { answers, tell } from "./answers.js";

tell(init().then(() => answers({ Robots })));
