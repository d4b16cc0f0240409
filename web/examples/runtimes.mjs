// Runs the packages in Deno and Bun, as the npm registry has them for Linux on x86-64.

import assert from "node:assert/strict";
import { join } from "node:path";

import { installed, run } from "./npm.mjs";

const RUNTIMES = [
  ["deno", "@deno/linux-x64-glibc/deno", ["run", "--allow-read", "--no-prompt", "app.js"]],
  ["bun", "@oven/bun-linux-x64/bin/bun", ["app.js"]],
];
const WANTED = [[[0, 1, 2], [0, 1, 2]], false, "different", "RangeError", "disallow", true];

/** Runs them all. */
export const runtimes = () => installed("runtimes", (app) => {
  for (const [name, program, args] of RUNTIMES) {
    const path = join(app, "node_modules", program);
    const { status, said } = run(app, path, ...args);
    assert.equal(status, 0, said);
    assert.deepEqual(JSON.parse(said), WANTED, name);
    console.log(run(app, path, "--version").said.split("\n")[0].replace(/^(?=\d)/, `${name} `));
  }
});
