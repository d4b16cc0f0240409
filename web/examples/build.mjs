// Builds the example apps of frameworks with the package as it was built, and reads the robots.txt that each makes of it:
// `node examples/build.mjs [next] [nuxt]`. Their frameworks come from the npm registry, into a temporary folder.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Robots } from "robotsieve/write";

const here = fileURLToPath(new URL(".", import.meta.url));
/** Where each example says what it wants, and where its framework writes the file. */
const EXAMPLES = {
  next: { asks: "app/robots.ts", file: ".next/server/app/robots.txt.body" },
  nuxt: { asks: "nuxt.config.ts", file: ".output/public/robots.txt" },
};

/** Runs npm in an app. */
function npm(app, ...args) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NUXT_TELEMETRY_DISABLED: "1", CI: "1" };
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: app, env, encoding: "utf8", maxBuffer: 64 << 20 });
  return { status, said: stdout + stderr };
}

function build(name) {
  const { asks, file } = EXAMPLES[name];
  const app = mkdtempSync(join(tmpdir(), `robotsieve-${name}-`));
  try {
    cpSync(join(here, name), app, { recursive: true });
    const installed = npm(app, "install", "--no-audit", "--no-fund", "--silent");
    assert.equal(installed.status, 0, installed.said);
    for (const part of ["package.json", "dist"]) {
      cpSync(join(here, "..", part), join(app, "node_modules/robotsieve", part), { recursive: true });
    }
    const built = npm(app, "run", "build");
    assert.equal(built.status, 0, built.said);
    const text = readFileSync(join(app, file), "utf8");
    const robots = new Robots(text);
    const verdicts = (crawler) => ["/", "/cart", "/a b"].map((path) => robots.isAllowed(crawler, path));
    assert.deepEqual([verdicts("GPTBot"), verdicts("Googlebot")], [[false, false, false], [true, false, false]], text);
    assert.match(text, /\nSitemap: https:\/\/shop\.example\/sitemap\.xml\n?/);

    // What is not as it is expected to be ends the build.
    const wanted = readFileSync(join(app, asks), "utf8");
    writeFileSync(join(app, asks), wanted.replace("allow Googlebot /", "disallow Googlebot /"));
    rmSync(join(app, file));
    const failed = npm(app, "run", "build");
    assert.notEqual(failed.status, 0, failed.said);
    assert.match(failed.said, /expected disallow, got allow: Googlebot/);
    assert.ok(!existsSync(join(app, file)));
    console.log(`${name}: built, and not built with an expectation that does not hold`);
  } finally {
    rmSync(app, { recursive: true, force: true });
  }
}

for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(EXAMPLES)) build(name);
