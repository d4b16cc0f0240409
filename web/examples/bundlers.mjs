// Bundles the package with each bundler as README.md says, and runs what comes of it, in Node and in Chromium.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

import { installed, run } from "./npm.mjs";

const WANTED = [false, true];
/** The bundler with its options, the app, and where the bundle runs. */
const BUNDLES = [
  ["vite", "plain", "browser"],
  ["webpack", "plain", "browser"],
  ["rollup assets", "plain", "browser"],
  ["esbuild file", "file", "browser"],
  ["esbuild binary", "bytes", "browser"],
  ["vite", "inline", "browser"],
  ["webpack", "inline", "browser"],
  ["rollup", "inline", "browser"],
  ["esbuild", "inline", "browser"],
  ["vite node", "inline", "node"],
  ["webpack node", "inline", "node"],
  ["webpack node", "plain", "node"],
  ["rollup node", "inline", "node"],
  ["esbuild node", "inline", "node"],
  ["esbuild node cjs", "inline", "node"],
  ["esbuild node external", "plain", "node"],
];
/** Without what README.md asks for, the module is missing, and the error says what to do. */
const FAILING = [
  ["esbuild", "plain", "browser", /^cannot-load: the module was not fetched: http:\S+\/robotsieve\.wasm answered 404; .*robotsieve-inline/],
  ["rollup", "plain", "browser", /^cannot-load: /],
  ["esbuild node", "plain", "node", /the module was not read: ENOENT.*robotsieve-inline/s],
];

const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

/** Serves a folder, and `/` as a page with its bundle. */
async function serving(folder) {
  const server = createServer(({ url }, response) => {
    const path = url === "/" ? null : join(folder, new URL(url, "http://e").pathname);
    if (path !== null && !existsSync(path)) return response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": path === null ? "text/html" : TYPES[/\.\w+$/.exec(path)?.[0]],
      "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
    });
    response.end(path === null ? '<!doctype html><title>t</title><script type="module" src="/app.js"></script>' : readFileSync(path));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

async function inBrowser(browser, address) {
  const page = await browser.newPage();
  try {
    await page.goto(address);
    await page.waitForFunction("globalThis.answered !== undefined");
    return await page.evaluate("globalThis.answered");
  } finally {
    await page.close();
  }
}

function inNode(file) {
  const program = `await import(${JSON.stringify(pathToFileURL(file).href)}); console.log(JSON.stringify(await globalThis.answered));`;
  const { status, said } = run(".", process.execPath, "--input-type=module", "-e", program);
  return status === 0 ? JSON.parse(said) : said;
}

/** The sizes of a bundle's files. */
const sizes = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.name.replace(/-[\w-]{8}\./, "-HASH.")} ${readFileSync(join(entry.parentPath ?? entry.path, entry.name)).length}`);

/** Vite's development server, which serves each file for itself. */
async function inDevelopment(app, browser) {
  const { createServer: createVite } = await import(pathToFileURL(join(app, "node_modules/vite/dist/node/index.js")));
  const server = await createVite({
    root: app, configFile: false, logLevel: "warn", server: { host: "127.0.0.1", port: 0 }, optimizeDeps: { exclude: ["robotsieve"] },
    plugins: [{
      name: "page",
      configureServer: ({ middlewares }) => void middlewares.use("/page", (_, response) => {
        response.setHeader("content-type", "text/html");
        response.end('<!doctype html><title>t</title><script type="module" src="/app/plain.js"></script>');
      }),
    }],
  });
  try {
    await server.listen();
    assert.deepEqual(await inBrowser(browser, `${server.resolvedUrls.local[0]}page`), WANTED);
    console.log("vite, development server: plain, in a browser");
  } finally {
    await server.close();
  }
}

/** Runs them all. */
export async function bundlers() {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    await installed("bundlers", async (app) => {
      let number = 0;
      const answered = async (how, name, where) => {
        const folder = join(app, `out-${(number += 1)}`);
        const { status, said } = run(app, process.execPath, "bundle.mjs", how, `app/${name}.js`, folder);
        assert.equal(status, 0, `${how} ${name}: ${said}`);
        const files = sizes(folder);
        if (where === "node") return [inNode(join(folder, how.includes("cjs") ? "app.cjs" : "app.js")), files, said];
        const server = await serving(folder);
        try {
          return [await inBrowser(browser, `http://127.0.0.1:${server.address().port}/`), files, said];
        } finally {
          server.close();
        }
      };
      for (const [how, name, where] of BUNDLES) {
        const [found, files, said] = await answered(how, name, where);
        assert.deepEqual(found, WANTED, `${how} ${name}: ${JSON.stringify(found)}`);
        console.log(`${how}: ${name}, in ${where === "node" ? "Node" : "a browser"}: ${files.join(", ")}${said && `\n${said}`}`);
      }
      for (const [how, name, where, message] of FAILING) assert.match(String((await answered(how, name, where))[0]), message, how);
      await inDevelopment(app, browser);
    });
  } finally {
    await browser.close();
  }
}
