// The page's sources are typed; esbuild only strips the types.

import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

test("the types of the page", () => {
  const tsc = join(here, "../../node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", join(here, "../tsconfig.json")], { stdio: "inherit" });
});
