// The package in a browser without a bundler: in a page and in a dedicated worker, under a strict policy of content.
// CHROMIUM names another program than Debian's.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { chromium } from "playwright-core";
import { Robots } from "robotsieve-full";

const dist = new URL("../dist/", import.meta.url);
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

const ASK = `
  import { ALLOW, diff, init, Robots, RobotsieveError } from "/full/browser.js";
  import robotsParser, { init as initCore } from "/core/robots-parser-browser.js";
  import { init as initRights, RightsReader } from "/rights/browser.js";
  export async function answers() {
    const early = [];
    try { new Robots(""); } catch (error) { early.push(error.code); }
    const start = performance.now();
    await Promise.all([init(), init()]);
    await init("nowhere.wasm");
    const readyMs = performance.now() - start;
    await Promise.all([initCore(), initRights()]);
    const robots = new Robots("User-agent: *\\nDisallow: /a\\nDisallow: /\\u{1F600}");
    const policy = robots.policy("bot");
    const urls = Array.from({ length: 5000 }, (_, n) => (n % 2 ? "/a" : "/b") + n);
    const many = policy.verdicts(urls).filter((answer) => answer === ALLOW).length;
    const one = [policy.isAllowed("https://e.com/a"), policy.isAllowed("/b"), policy.isAllowed("/\\u{1F600}")];
    let error;
    try { policy.isAllowed("no url"); } catch (caught) { error = caught instanceof RobotsieveError && caught.code; }
    const drop = robotsParser("https://e.com/robots.txt", "User-agent: *\\nDisallow: /a").isAllowed("https://e.com/a");
    const line = robots.explain("bot", "/a").line;
    const opened = diff(robots, "").crawlers[0].newly_allowed[0].path;
    const findings = robots.lint().findings.length;
    const headers = (await fetch("/")).headers;
    const rights = new RightsReader("bot").rights("https://e.com/a", { robots: "User-agent: *\\nDisallow: /a", headers, html: "<meta name=robots content=nosnippet>" });
    policy.free();
    return { early, many, one, error, drop, line, opened, findings, rights, readyMs };
  }`;

const FILES = {
  "/": ["text/html", '<!doctype html><title>t</title><script type="module" src="/page.js"></script>'],
  "/ask.js": ["text/javascript", ASK],
  "/page.js": ["text/javascript", `import { answers } from "/ask.js"; window.inPage = answers().catch(String);`],
  "/worker.js": ["text/javascript", `import { answers } from "/ask.js"; answers().then(postMessage, (e) => postMessage(String(e)));`],
  "/start.js": ["text/javascript", `window.inWorker = new Promise((resolve) => {
    new Worker("/worker.js", { type: "module" }).onmessage = ({ data }) => resolve(data);
  });`],
};

let [server, browser, origin] = [];

before(async () => {
  server = createServer(({ url }, response) => {
    let [type, body] = FILES[url] ?? [];
    if (body === undefined) {
      try {
        body = readFileSync(new URL(`.${url}`, dist));
        type = url.endsWith(".wasm") ? "application/wasm" : "text/javascript";
      } catch {
        response.writeHead(404).end();
        return;
      }
    }
    response.writeHead(200, {
      "content-type": type, "x-robots-tag": "noai",
      "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'",
    });
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});

after(async () => {
  await browser?.close();
  server?.close();
});

const WANTED = {
  early: ["not-initialised"], many: 2500, one: [false, true, false], error: "invalid-url", drop: false, line: 2,
  opened: "/a",
  rights: {
    "crawl": "disallow", "index": "unknown", "snippet": "disallow", "ai-input": "unknown", "ai-train": "disallow",
    "by": { "crawl": ["robots.txt:2"], "snippet": ["html:meta:1"], "ai-train": ["header:x-robots-tag:1"] },
  },
  findings: new Robots("User-agent: *\nDisallow: /a\nDisallow: /\u{1F600}").lint().findings.length,
};

async function opened() {
  const page = await browser.newPage();
  const seen = { errors: [], requests: [] };
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("console", (message) => {
    // The page has no icon.
    if (message.type() === "error" && !message.text().includes("404")) seen.errors.push(message.text());
  });
  page.on("request", (request) => seen.requests.push(request.url()));
  await page.goto(`${origin}/`);
  return [page, seen];
}

function check({ readyMs, ...found }, t) {
  assert.deepEqual(found, WANTED);
  t.diagnostic(`both modules fetched and ready in ${readyMs.toFixed(0)} ms`);
}

test("in a page", async (t) => {
  const [page, { errors, requests }] = await opened();
  check(await page.evaluate("window.inPage"), t);
  assert.deepEqual(errors, []);
  assert.ok(requests.every((url) => url.startsWith(origin)), requests.join("\n"));
  assert.equal(requests.filter((url) => url.endsWith("/full/robotsieve-full.wasm")).length, 1);
  await page.close();
});

test("in a dedicated worker", async (t) => {
  const [page, { errors }] = await opened();
  await page.addScriptTag({ url: "/start.js" });
  check(await page.evaluate("window.inWorker"), t);
  assert.deepEqual(errors, []);
  await page.close();
});
