// A browser with the page, and how a person uses it: for the tests.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { chromium } from "playwright-core";
import { dist } from "./bundle.mjs";
import { serve } from "./server.mjs";

let browser;
export let server;
before(async () => {
  server = await serve(dist);
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // As root, in containers, Chromium has no sandbox of its own.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** A page that is ready. At the end nothing may have gone wrong in it but what was expected, and no request may have left it. */
export async function open(t, options = {}) {
  const { fragment = "", expected, script, ...rest } = options;
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...rest });
  await context.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  const page = await context.newPage();
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (message) => message.type() === "error" && !expected?.test(message.text()) && wrong.push(message.text()));
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith("data:")) wrong.push(`request to ${request.url()}`);
  });
  await script?.(page);
  await page.goto(server.url + fragment);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  t.after(async () => {
    wrong.push(...(await page.evaluate(() => globalThis.violations)));
    await context.close();
    assert.deepEqual(wrong, []);
  });
  return page;
}

export const editorText = (page, box = "#editor") => page.evaluate((box) => {
  // What CodeMirror holds: the document shows only what is in view.
  return document.querySelector(`${box} .cm-content`).cmTile?.view?.state.doc.toString() ?? document.querySelector(`${box} .cm-content`).cmView.view.state.doc.toString();
}, box);

/** Writes `text` into an editor, and at once, before the page can look at it, presses each of `buttons`. */
export async function write(page, text, box = "#editor", buttons = []) {
  await page.click(`${box} .cm-content`);
  await page.keyboard.press("Control+a");
  // As a paste: what Chromium does with `insertText` of several lines, no person can do.
  await page.evaluate(([text, box, buttons]) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    document.querySelector(`${box} .cm-content`).dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    for (const button of buttons) document.querySelector(button).click();
  }, [text, box, buttons]);
}

/** Pastes URLs in place of those that are there. */
export async function pasteUrls(page, urls) {
  await page.focus("#urls");
  await page.keyboard.press("Control+a");
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    document.querySelector("#urls").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, urls.join("\n"));
}

export async function setCrawlers(page, ...names) {
  while ((await page.locator(".chip button").count()) > 0) await page.locator(".chip button").first().click();
  for (const name of names) {
    await page.fill("#crawler", name);
    await page.keyboard.press("Enter");
  }
}

/** The table as texts, once it is about these many rows. */
export async function table(page, rows) {
  await page.waitForFunction((rows) => document.querySelectorAll("#panel-urls .table-box tbody tr").length === rows, rows);
  return page.evaluate(() => [...document.querySelectorAll("#panel-urls .table-box tbody tr")].map((row) =>
    [row.querySelector("th").title, ...[...row.querySelectorAll("td")].map((cell) => cell.innerText.replace(/[✓✕–◐\s]+/u, ""))]));
}

export const eventually = async (what, check) => {
  const end = Date.now() + 8000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw new Error(`${what}: ${error.message}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};
