// The bundler copies the module, and an import of it is its address.

import { init, Robots } from "robotsieve";
import module from "robotsieve/robotsieve.wasm";
import { answers, tell } from "./answers.js";

tell(init(new URL(module, import.meta.url)).then(() => answers({ Robots })));
