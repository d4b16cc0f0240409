// How the module gets to its scripts: what `init` takes, what it refuses, and the scripts that have it inside.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";

import * as core from "../dist/core/browser.js";

const VARIANTS = ["full", "core", "known", "rights", "write"];
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const packageOf = (variant) => (variant === "core" ? "robotsieve" : `robotsieve-${variant}`);
const bytesOf = (variant) => readFileSync(new URL(import.meta.resolve(`${packageOf(variant)}/${packageOf(variant)}.wasm`)));
const FILE = "User-agent: *\nDisallow: /a\n";

test("each module says what it is", () => {
  for (const variant of VARIANTS) {
    const [section] = WebAssembly.Module.customSections(new WebAssembly.Module(bytesOf(variant)), "robotsieve");
    assert.match(new TextDecoder().decode(section), new RegExp(`^${packageOf(variant)} ${version.replaceAll(".", "\\.")} \\(interface [0-9a-f]{8}\\)$`));
  }
});

/** The module of another version of the variant, as far as the section says. */
function ofVersion(variant, other) {
  const bytes = Uint8Array.from(bytesOf(variant));
  const at = bytes.length - ` ${version} (interface 00000000)`.length;
  assert.equal(new TextDecoder().decode(bytes.subarray(at + 1, at + 1 + version.length)), version);
  bytes.set(new TextEncoder().encode(other), at + 1);
  return bytes;
}

const EMPTY = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
const response = (body, type, status = 200) => new Response(body, { status, headers: type === null ? {} : { "content-type": type } });
const WASM = "application/wasm";

test("what is not the module is refused with a code, and init can be called again", async () => {
  const { init, Robots, RobotsieveError } = core;
  const refused = async (source, code, message) => {
    await assert.rejects(init(source), (error) => {
      assert.ok(error instanceof RobotsieveError);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    });
    assert.throws(() => new Robots(FILE), { code: "not-initialised" });
  };
  const mine = /^this script is of robotsieve 0\.\S+ \(interface \w{8}\), but was given the module of robotsieve-full 0\.\S+ \(interface \w{8}\): take both/;
  await refused(bytesOf("full"), "wrong-module", mine);
  await refused(new WebAssembly.Module(bytesOf("full")), "wrong-module", mine);
  await refused(response(bytesOf("full"), WASM), "wrong-module", mine);
  await refused(ofVersion("core", "0.0.9"), "wrong-module", /given the module of robotsieve 0\.0\.9 /);
  await refused(EMPTY, "wrong-module", /a module of something else/);
  const html = "<!doctype html><title>Not found</title>";
  await refused(response(html, "text/html"), "cannot-load", /^the response given for the module, of the type text\/html, is no module: .*; if a bundler has left/);
  await refused(response(html, WASM), "cannot-load", /of the type application\/wasm, is no module/);
  await refused(Promise.resolve(response(html, null, 404)), "cannot-load", /the module was not fetched: .* answered 404/);
  await refused(new TextEncoder().encode(html), "cannot-load", /^what was given for the module is no module/);
  await refused({}, "cannot-load", /is no module/);
  await refused(Promise.reject(new Error("no network")), "cannot-load", /no network/);
  // Node fetches no files.
  await refused(undefined, "cannot-load", /^the module was not fetched from file:\S+\/dist\/core\/robotsieve\.wasm: .*import robotsieve-inline/);
  await refused("http://127.0.0.1:1/x.wasm", "cannot-load", /not fetched from http:\/\/127\.0\.0\.1:1\/x\.wasm/);
  // Without its type it cannot be compiled while it arrives, and works all the same. Of two calls at once, the first counts.
  await Promise.all([init(response(bytesOf("core"), "application/octet-stream")), init(EMPTY)]);
  assert.equal(new Robots(FILE).isAllowed("bot", "/a"), false);
  await init("nowhere.wasm");
});

for (const variant of VARIANTS) {
  test(`the module of ${variant} in a script`, async () => {
    const { init, Robots } = await import(variant === "core" ? "robotsieve-inline" : `${packageOf(variant)}/inline`);
    assert.throws(() => new Robots(FILE), { code: "not-initialised" });
    await Promise.all([init(), init()]);
    const policy = new Robots(FILE).policy("bot");
    assert.deepEqual([policy.isAllowed("/a"), policy.isAllowed("/b")], [false, true]);
    await init();
  });
}

test("where nothing inflates, the module in a script says so, and how to go on", async () => {
  const { DecompressionStream } = globalThis;
  try {
    globalThis.DecompressionStream = undefined;
    // The scripts below it are those of the test above, ready: so a copy of them is asked.
    const folder = mkdtempSync(join(tmpdir(), "robotsieve-"));
    cpSync(new URL("../dist/known", import.meta.url), folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const { init } = await import(pathToFileURL(join(folder, "inline.js")));
    const message = /^this platform cannot inflate .*import the package without inline and give its module to init: robotsieve-known\.wasm\?module/;
    await assert.rejects(init(), { name: "RobotsieveError", code: "cannot-load", message });
    // A module of another realm, as edge runtimes give it.
    const { init: given, Robots } = await import(pathToFileURL(join(folder, "browser.js")));
    const module = runInNewContext("new WebAssembly.Module(bytes)", { bytes: bytesOf("known") });
    assert.ok(!(module instanceof WebAssembly.Module));
    await given(module);
    assert.equal(new Robots(FILE).isAllowed("bot", "/a"), false);
    rmSync(folder, { recursive: true });
  } finally {
    globalThis.DecompressionStream = DecompressionStream;
  }
});

test("the module in a script, with the interface of robots-parser", async () => {
  const { default: robotsParser, init } = await import("robotsieve-inline/robots-parser");
  await init();
  assert.equal(robotsParser("https://e.com/robots.txt", FILE).isAllowed("https://e.com/a"), false);
});
