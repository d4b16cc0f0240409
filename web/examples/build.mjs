// Builds the example apps of frameworks with the package as it was built, and reads the robots.txt that each makes of it; bundles
// the package with each bundler; and runs it in Deno and Bun: `node examples/build.mjs [next] [nuxt] [bundlers] [runtimes]`.

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Robots } from "robotsieve-write";

import { bundlers } from "./bundlers.mjs";
import { installed, run } from "./npm.mjs";
import { runtimes } from "./runtimes.mjs";

/** Where each example says what it wants, and where its framework writes the file. */
const EXAMPLES = {
  next: { asks: "app/robots.ts", file: ".next/server/app/robots.txt.body" },
  nuxt: { asks: "nuxt.config.ts", file: ".output/public/robots.txt" },
};

async function framework(name) {
  const { asks, file } = EXAMPLES[name];
  await installed(name, (app) => {
    const built = run(app, "npm", "run", "build");
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
    const failed = run(app, "npm", "run", "build");
    assert.notEqual(failed.status, 0, failed.said);
    assert.match(failed.said, /expected disallow, got allow: Googlebot/);
    assert.ok(!existsSync(join(app, file)));
    console.log(`${name}: built, and not built with an expectation that does not hold`);
  });
}

const others = { bundlers, runtimes };
const all = [...Object.keys(EXAMPLES), ...Object.keys(others)];
for (const name of process.argv.length > 2 ? process.argv.slice(2) : all) await (others[name]?.() ?? framework(name));
