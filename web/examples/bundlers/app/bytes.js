// The bundler writes the module into the script, and an import of it is its bytes.

import { init, Robots } from "robotsieve";
import module from "robotsieve/robotsieve.wasm";
import { answers, tell } from "./answers.js";

tell(init(module).then(() => answers({ Robots })));
