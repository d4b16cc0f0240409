// What happens to one's work, and to what was asked: in Chromium.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { editorText, eventually, open, pasteUrls, server, setCrawlers, table, write } from "./browser.mjs";

const OWN = "User-agent: *\nDisallow: /own\n";

const ready = (page) => page.waitForSelector("html[data-ready]", { state: "attached" });

async function reloaded(page) {
  await page.reload();
  await ready(page);
}

test("a reload, leaving and coming back keep all work, in this tab only", async (t) => {
  const page = await open(t);
  await write(page, OWN);
  await setCrawlers(page, "KeptBot");
  await page.fill("#urls", "/own\n/else");
  await page.selectOption("#profile", "google");
  await table(page, 2);
  await page.click("#tab-compare");
  await write(page, "User-agent: *\n", "#panel-compare");
  // At once: nothing has to wait.
  await reloaded(page);
  const isThere = async (where) => {
    assert.equal(await editorText(where), OWN);
    assert.equal(await editorText(where, "#panel-compare"), "User-agent: *\n");
    assert.equal(await where.inputValue("#urls"), "/own\n/else");
    assert.equal(await where.inputValue("#profile"), "google");
    assert.deepEqual(await where.locator(".chip-text").allTextContents(), ["KeptBot"]);
    assert.equal(await where.getAttribute("#tab-compare", "aria-selected"), "true");
  };
  await isThere(page);
  const address = page.url();
  await page.goto("about:blank");
  await page.goBack();
  await ready(page);
  await isThere(page);
  // Nowhere else: another tab has the example.
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), []);
  const other = await page.context().newPage();
  await other.goto(address);
  await ready(other);
  assert.match(await editorText(other), /^# A shop/);
  assert.match(await page.innerText("footer"), /kept in this tab until you close it, on this machine only/);
});

test("without storage one is asked before work is lost, and only then", async (t) => {
  const page = await open(t, { script: (page) => page.addInitScript(() => {
    Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
  }) });
  const dialogs = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.type());
    void dialog.accept();
  });
  await reloaded(page);
  assert.deepEqual(dialogs, []);
  await write(page, OWN);
  await reloaded(page);
  assert.deepEqual(dialogs, ["beforeunload"]);
});

test("work too large to be written while one types is written when one leaves", async (t) => {
  const page = await open(t);
  const text = `User-agent: *\n${"Disallow: /a-rule-of-some-length\n".repeat(40_000)}`;
  await page.setInputFiles("#open", { name: "large.txt", mimeType: "text/plain", buffer: Buffer.from(text) });
  await eventually("the file", async () => assert.equal((await editorText(page)).length, text.length));
  await page.waitForTimeout(1500);
  assert.ok((await page.evaluate(() => sessionStorage.getItem("robotsieve")?.length ?? 0)) < 1_000_000);
  await reloaded(page);
  assert.equal((await editorText(page)).length, text.length);
});

test("the address carries a link only as long as it is what the page shows", async (t) => {
  const page = await open(t, { permissions: ["clipboard-read", "clipboard-write"] });
  await write(page, OWN);
  await page.click("#copy-link");
  await eventually("the link", async () => assert.match(await page.innerText("#notice"), /The link is copied/));
  const link = page.url();
  assert.match(link, /#1\./);
  // A reload of what is unchanged keeps it.
  await reloaded(page);
  assert.equal(page.url(), link);
  await page.click("#copy-link");
  await eventually("the link", async () => assert.match(await page.innerText("#notice"), /The link is copied/));
  await write(page, `${OWN}Allow: /own/x\n`);
  await eventually("the address", async () => assert.doesNotMatch(page.url(), /#/));
  assert.equal(await page.innerText("#notice"), "");
  await reloaded(page);
  assert.equal(await editorText(page), `${OWN}Allow: /own/x\n`);

  // A link opened in the tab wins, and what was there can be brought back.
  await page.goto("about:blank");
  await page.goto(link);
  await ready(page);
  assert.equal(await editorText(page), OWN);
  await page.click("#notice >> text=Undo");
  assert.equal(await editorText(page), `${OWN}Allow: /own/x\n`);
  assert.equal(await page.evaluate(() => document.activeElement.id), "notice");
  assert.doesNotMatch(page.url(), /#/);
  // So it is if the link is put into the address of the page.
  await page.evaluate((hash) => { location.hash = hash; }, new URL(link).hash);
  await eventually("the link", async () => assert.equal(await editorText(page), OWN));
  assert.equal(page.url(), link);
  await page.click("#notice >> text=Undo");
  assert.equal(await editorText(page), `${OWN}Allow: /own/x\n`);
});

test("an example in place of one's own work can be taken back", async (t) => {
  const page = await open(t);
  // Nothing is lost of an example.
  await page.selectOption("#example", "1");
  await page.waitForTimeout(300);
  assert.equal(await page.innerText("#notice"), "");
  await write(page, OWN);
  await setCrawlers(page, "OwnBot");
  await page.fill("#urls", "/own");
  await table(page, 1);
  await page.selectOption("#example", "0");
  await eventually("the example", async () => assert.match(await editorText(page), /^# A shop/));
  await page.click("#notice >> text=Undo");
  assert.equal(await editorText(page), OWN);
  assert.equal(await page.inputValue("#urls"), "/own");
  assert.deepEqual(await table(page, 1), [["/own", "disallow"]]);
  assert.match(await page.innerText("#notice"), /What was there before is back/);
});

test("messages go when they no longer hold, and can be closed", async (t) => {
  const page = await open(t, { permissions: ["clipboard-read", "clipboard-write"] });
  const said = () => page.innerText("#notice");
  const gone = (what) => eventually(`no message ${what}`, async () => assert.equal(await said(), ""));
  // The one with an Undo, with the first change of what was loaded.
  await write(page, OWN);
  await page.selectOption("#example", "0");
  await eventually("the Undo", async () => assert.match(await said(), /in place of what you had/));
  await page.selectOption("#profile", "google");
  await page.waitForTimeout(300);
  assert.match(await said(), /in place of what you had/);
  await page.click("#editor .cm-content");
  await page.keyboard.type("#");
  await gone("about the example");
  // What is said of a file that was opened, with the first change of the file, and of no other thing.
  const bytes = Buffer.from(`\uFEFF${OWN}`, "utf16le");
  await page.setInputFiles("#open", { name: "old.txt", mimeType: "text/plain", buffer: bytes });
  const wanted = "old.txt: The file is encoded in UTF-16, in which most crawlers find no rule. The answers here are about its text in UTF-8, as Save writes it.";
  await eventually("UTF-16", async () => assert.ok((await said()).startsWith(wanted), await said()));
  assert.equal(await editorText(page), OWN);
  await page.fill("#urls", "/own");
  await table(page, 1);
  await page.waitForTimeout(300);
  assert.match(await said(), /UTF-16/);
  await page.click("#clear");
  assert.equal(await page.innerText("#notice p"), "Everything was cleared.");
  await page.click("#notice button:last-child");
  await gone("about what was cleared");
  // Errors too.
  await page.setInputFiles("#open", { name: "big.txt", mimeType: "text/plain", buffer: Buffer.alloc((8 << 20) + 1, 0x61) });
  await eventually("too large", async () => assert.match(await said(), /larger than 8 MiB/));
  await page.setInputFiles("#open", { name: "robots.txt", mimeType: "text/plain", buffer: Buffer.from(OWN) });
  await gone("about the large file");
  await page.click("#copy-link");
  await eventually("the link", async () => assert.match(await said(), /^The link is copied\. It works on this machine only, because the page is served from it\. It carries/));
  await page.click("#notice button");
  assert.equal(await said(), "");
  // Below the field for crawlers.
  await setCrawlers(page, "Googlebot-Image");
  assert.match(await page.innerText("#crawler-problem"), /obeys the groups of Googlebot/);
  await page.click(".chip button");
  assert.equal(await page.innerText("#crawler-problem"), "");
  await page.click("text=Add >> nth=0");
  assert.match(await page.innerText("#crawler-problem"), /Type the name/);
  await page.fill("#crawler", "G");
  assert.equal(await page.innerText("#crawler-problem"), "");
});

test("a damaged link at the start is told, beside the example", async (t) => {
  const page = await open(t, { fragment: "#1.AAAA" });
  assert.match(await page.innerText("#notice"), /The link is damaged/);
  assert.match(await editorText(page), /^# A shop/);
});

test("the file is saved and copied as it stands", async (t) => {
  const page = await open(t, { permissions: ["clipboard-read", "clipboard-write"], acceptDownloads: true });
  const file = "User-agent: *\nDisallow: /caf\u00e9\n";
  await write(page, file);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  assert.equal(download.suggestedFilename(), "robots.txt");
  assert.equal(await readFile(await download.path(), "utf8"), file);
  await page.click("#copy");
  await eventually("copied", async () => assert.match(await page.innerText("#notice"), /The file is copied/));
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), file);
});

test("robotsieve page FILE: the page opens with the file that is served beside it", async (t) => {
  const gives = (body, disposition) => async (page) => {
    await page.route("**/given", (route) => route.fulfill({
      contentType: "application/octet-stream", headers: { "content-disposition": disposition }, body,
    }));
  };
  const of = (name) => `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
  const options = { fragment: "?given", serviceWorkers: "block" };
  const hostile = "User-agent: <img src=x onerror=alert(1)>\nDisallow: /<script>alert(1)</script>\n";
  const page = await open(t, { ...options, script: gives(Buffer.from(hostile), of("https://shop.example/robots.txt")) });
  assert.equal(await editorText(page), hostile);
  assert.equal(await page.locator("main script, main img").count(), 0);
  assert.deepEqual(await table(page, 1), [["https://shop.example/", "allow", "allow", "allow"]]);
  await eventually("why", async () => assert.match(await page.innerText(".why"), /No group applies/));
  assert.equal(await page.innerText("#announcer"), "https://shop.example/robots.txt was opened.");
  assert.equal(await page.innerText("#notice"), "");
  // A reload keeps what has become of it.
  assert.doesNotMatch(page.url(), /given/);
  await write(page, OWN);
  await reloaded(page);
  assert.equal(await editorText(page), OWN);
  // In place of work in the same tab there is an Undo.
  await page.goto(`${server.url}?given`);
  await ready(page);
  assert.equal(await editorText(page), hostile);
  assert.equal(await page.locator("#notice p").innerText(), "https://shop.example/robots.txt was opened in place of what you had in this tab.");
  await page.click("#notice >> text=Undo");
  assert.equal(await editorText(page), OWN);

  // UTF-16 and bytes that are no UTF-8 are told as they are of a file that is opened.
  const other = await open(t, { ...options, script: gives(Buffer.from(`\uFEFF${OWN}`, "utf16le"), of("caf\u00e9 \u202E.txt")) });
  assert.equal(await editorText(other), OWN);
  assert.match(await other.innerText("#notice"), /^café \\u\{202e\}\.txt: The file is encoded in UTF-16/);
  assert.equal(await other.inputValue("#urls"), "/");
});

test("robotsieve page FILE that has ended says so", async (t) => {
  // The test's server has no such file.
  const page = await open(t, { fragment: "?given", expected: /404/ });
  assert.match(await page.innerText("#notice"), /The file that 'robotsieve page' was given is not served any more: run the command again\./);
  assert.match(await editorText(page), /^# A shop/);
});

test("crawlers for AI training are shut out with one click that can be undone", async (t) => {
  const page = await open(t);
  await write(page, OWN);
  await setCrawlers(page, "GPTBot", "Googlebot");
  await page.fill("#urls", "/");
  await page.click("#block");
  await eventually("the groups", async () => assert.match(await editorText(page), /# Crawlers for AI training\n[^]*User-agent: GPTBot\n[^]*Disallow: \/\n/));
  assert.ok((await editorText(page)).startsWith(OWN));
  assert.match(await page.innerText("#notice p"), /^By RFC 9309 the known crawlers for AI training that the file does not let in by name may read nothing now, .* this is proven\. robots\.txt only asks\./);
  await eventually("the verdicts", async () => assert.deepEqual(await table(page, 1), [["/", "disallow", "allow"]]));
  // Again: nothing changes, and that is said.
  const blocked = await editorText(page);
  await page.click("#block");
  await eventually("nothing", async () => assert.match(await page.innerText("#notice p"), /^(\d+) of \1 crawlers were shut out already/));
  assert.equal(await editorText(page), blocked);
  await write(page, OWN);
  // At once: the newest text counts.
  await page.click("#block");
  await eventually("the groups", async () => assert.equal(await editorText(page), blocked));
  await page.click("#notice >> text=Undo");
  assert.equal(await editorText(page), OWN);
  await eventually("no message", async () => assert.equal(await page.innerText("#notice"), ""));
  // Another purpose, and crawlers by name.
  await page.fill("#block-what", "bytespider, OwnBot");
  assert.equal(await page.innerText("#block"), "Block bytespider, OwnBot");
  await page.press("#block-what", "Enter");
  await eventually("the names", async () => assert.match(await editorText(page), /User-agent: OwnBot\n/));
  assert.match(await page.innerText("#notice p"), /^By RFC 9309 bytespider and OwnBot may read nothing now, /);
  await page.click("#notice >> text=Undo");
  const [, other] = await page.locator("#block-choices option").evaluateAll((options) => options.map((option) => option.value));
  await page.fill("#block-what", other.toUpperCase());
  await page.click("#block");
  await eventually("the purpose", async () => assert.ok((await editorText(page)).includes(`# Crawlers for ${other}\n`)));
  await page.click("#notice >> text=Undo");
  await page.fill("#block-what", "Own Bot");
  await page.click("#block");
  await eventually("no name", async () => assert.match(await page.innerText("#notice"), /^Nothing was changed, since .*Own Bot/));
  assert.equal(await editorText(page), OWN);
});

test("a file is written from a form, as the command writes it", async (t) => {
  const page = await open(t);
  await write(page, OWN);
  await page.click("#tab-write");
  await page.selectOption("#write-ai-training", "nothing");
  await page.fill("#write-shut", "FooBot, BarBot");
  await page.fill("#write-open", "GPTBot");
  await page.fill("#write-disallow", "/cart\n/cart/old\n\n /*?sort=\n");
  await page.fill("#write-allow", "/cart/help");
  await page.fill("#write-sitemap", "https://shop.example/sitemap.xml");
  await page.click("text=Write robots.txt");
  await eventually("the file", async () => assert.match(await editorText(page), /^# Crawlers for AI training\n[^]*User-agent: FooBot\nUser-agent: BarBot\n[^]*Disallow: \/\n\nUser-agent: \*\nAllow: \/cart\/help\nDisallow: \/\*\?sort=\nDisallow: \/cart\n\nSitemap: https:\/\/shop\.example\/sitemap\.xml\n$/));
  const written = await editorText(page);
  assert.doesNotMatch(written, /GPTBot$/m);
  assert.match(await page.innerText(".written li:first-child"), /^Proven: read by rfc9309, google and google-classic, it lets crawlers read what you want\.$/);
  const intentions = await page.locator(".intentions").textContent();
  const command = process.env.ROBOTSIEVE_COMMAND;
  if (command) assert.equal(execFileSync(command, ["write", "--quiet", "-"], { input: intentions, encoding: "utf8" }), written);
  // A reload keeps the form, and Undo brings the file back.
  await page.click("#notice >> text=Undo");
  assert.equal(await editorText(page), OWN);
  await eventually("nothing is said", async () => assert.equal(await page.innerText(".written"), ""));
  await reloaded(page);
  assert.equal(await page.inputValue("#write-ai-training"), "nothing");
  assert.equal(await page.inputValue("#write-shut"), "FooBot, BarBot");
  // What cannot be written is told, beside the control to mend.
  await page.fill("#write-shut", "Foo Bot");
  await page.fill("#write-disallow", "cart");
  await page.press("#write-shut", "Enter");
  await eventually("the faults", async () => assert.equal(await page.locator(".written li").count(), 2));
  assert.equal(await editorText(page), OWN);
  assert.match(await page.innerText(".written"), /They may read nothing: .*'Foo Bot'[^]*Nobody may read: .*'cart'/);
  assert.deepEqual(await page.locator("[aria-invalid=true]").evaluateAll((all) => all.map(({ id }) => id)), ["write-shut", "write-disallow"]);
  await page.click(".written >> text=Nobody may read");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("/mended");
  await page.fill("#write-shut", "");
  await page.click("text=Write robots.txt");
  await eventually("the file", async () => assert.match(await editorText(page), /\nDisallow: \/mended\n/));
  await page.click("#clear");
  assert.equal(await page.inputValue("#write-disallow"), "");
  await page.click("#notice >> text=Undo");
  assert.equal(await page.inputValue("#write-disallow"), "/mended");
});

test("the skip link skips, and places of the page are no damaged links", async (t) => {
  const page = await open(t);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "answers");
  await page.evaluate(() => { location.hash = "answers"; });
  await page.waitForTimeout(200);
  assert.equal(await page.innerText("#notice"), "");
});

test("Why and the automaton are about what is asked", async (t) => {
  const page = await open(t);
  await write(page, OWN);
  await setCrawlers(page, "FirstBot", "SecondBot");
  await page.fill("#urls", "/own\n/else");
  await table(page, 2);
  await page.click("#panel-urls tbody tr:nth-child(2) td:nth-child(3) button");
  const question = () => page.innerText(".why .question");
  await eventually("the verdict", async () => assert.match(await question(), /SecondBot\s+\/else/));
  await page.click("[aria-label='Remove SecondBot']");
  await eventually("the other crawler", async () => assert.match(await question(), /FirstBot\s+\/else/));
  // A URL that is edited is followed, one that is gone is not.
  await page.fill("#urls", "/own\n/else/edited");
  await eventually("the edited URL", async () => assert.match(await question(), /\/else\/edited/));
  await page.fill("#urls", "/new");
  await eventually("the first URL", async () => assert.match(await question(), /\/new/));
  assert.equal(await page.inputValue("#machine-url"), "/new");
  await page.fill("#urls", "");
  await eventually("nothing", async () => assert.match(await page.innerText(".why"), /Choose a verdict/));
  assert.equal(await page.inputValue("#machine-url"), "");
  assert.equal(await page.locator("#editor .mark-winner").count(), 0);
  // What is typed in the automaton stays.
  await page.click("#tab-automaton");
  await page.fill("#machine-url", "/typed");
  await page.click("#tab-urls");
  await page.fill("#urls", "/a\n/b");
  await table(page, 2);
  assert.equal(await page.inputValue("#machine-url"), "/typed");
});

test("groups that run together are told as one, and why", async (t) => {
  const page = await open(t);
  await write(page, "User-agent: AhrefsBot\nCrawl-delay: 10\n\nUser-agent: deepcrawl\nDisallow: /\n");
  await setCrawlers(page, "AhrefsBot");
  await page.fill("#urls", "/");
  assert.deepEqual(await table(page, 1), [["/", "disallow"]]);
  await page.click("#panel-urls tbody td button");
  await eventually("why", async () =>
    assert.equal(await page.innerText(".why .warn"), "Line 4 joins this group: 'Crawl-delay' on line 2 does not end it."));
  assert.deepEqual(await page.locator("#editor .mark-group").allInnerTexts(), ["User-agent: AhrefsBot", "User-agent: deepcrawl"]);
  await page.click("#tab-findings");
  await eventually("the error", async () => assert.match(await page.innerText("#panel-findings .finding-card >> nth=0"), /error[^]*joins the group of 'AhrefsBot'/));
});

test("four crawlers and their URLs are in view without scrolling", async (t) => {
  for (const width of [900, 1280, 1400, 1600]) {
    const page = await open(t, { viewport: { width, height: 900 } });
    for (const example of ["1", "2"]) {
      await page.selectOption("#example", example);
      await eventually("four columns", async () => assert.equal(await page.locator("#panel-urls .table-box thead th").count(), 5));
      const beyond = await page.locator("#panel-urls .table-box").evaluate((box) => box.scrollWidth - box.clientWidth);
      assert.ok(beyond <= 0, `example ${example} at ${width}: ${beyond} pixels are beyond the edge`);
    }
  }
});

test("nothing scrolls the window away from what one looks at", async (t) => {
  for (const [width, height] of [[360, 740], [640, 450], [900, 900]]) {
    const page = await open(t, { viewport: { width, height } });
    await page.waitForSelector(".why .big-verdict");
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => scrollY), 0, `${width}x${height} loads scrolled`);
    assert.equal(await page.evaluate(() => document.querySelector("#editor .cm-scroller").scrollTop), 0, `${width}x${height} begins at line 1`);
    const button = page.locator("#panel-urls tbody tr:nth-child(8) td:nth-child(2) button");
    await button.evaluate((element) => element.scrollIntoView({ block: "center" }));
    const before = await page.evaluate(() => scrollY);
    await button.click();
    await eventually("the verdict", async () => assert.match(await page.innerText(".why"), /old-shop/));
    await page.waitForTimeout(300);
    assert.ok((await page.evaluate(() => scrollY)) >= before, `${width}x${height}`);
    const why = await page.locator(".why").evaluate((element) => element.getBoundingClientRect().top);
    assert.ok(why >= 0 && why < height - 100, `Why is at ${why} of ${height}`);
    // In the editor the deciding line is in view.
    const [line, box] = await page.evaluate(() => [".mark-winner, .mark-group", ".cm-scroller"].map((name) => {
      const { top, bottom } = document.querySelector(`#editor ${name}`).getBoundingClientRect();
      return { top, bottom };
    }));
    assert.ok(line.top >= box.top && line.bottom <= box.bottom, JSON.stringify({ line, box }));
  }
});

test("fixes say what they did, and have an Undo; the focus stays", async (t) => {
  const page = await open(t);
  const file = `User-agent: *\n${Array.from({ length: 10 }, (_, index) => `Disallow: /${index}/\nDisallow: /${index}/x\n`).join("")}`;
  await page.click("#tab-findings");
  const all = page.locator("#panel-findings button:text-is('Apply all fixes that change no verdict and no pace')");
  await all.evaluate((button) => (button.id = "all-fixes"));
  // Pressed before the edit is looked at, it must not bring the text back that was there before.
  await write(page, file, "#editor", ["#all-fixes"]);
  await page.waitForTimeout(100);
  assert.equal(await editorText(page), file);
  await eventually("findings", async () => assert.ok((await page.locator(".findings:not(.stale) .apply").count()) > 3));
  await all.focus();
  await page.keyboard.press("Enter");
  const said = page.locator("#panel-findings .fixed");
  await eventually("what was done", async () => assert.match(await said.innerText(), /^\d+ fixes applied\./));
  await page.waitForTimeout(600);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Apply all fixes that change no verdict and no pace");
  await said.locator("button").click();
  assert.equal(await editorText(page), file);
  assert.match(await said.innerText(), /undone/);
  assert.equal(await page.evaluate(() => document.activeElement.classList.contains("fixed")), true);

  // One fix, with the keyboard: the focus goes to the finding that took its place.
  await eventually("a list", async () => assert.ok((await page.locator(".findings:not(.stale) .apply").count()) > 3));
  const third = page.locator(".findings > li:nth-child(3) .apply");
  await third.focus();
  await page.keyboard.press("Enter");
  await eventually("the fix", async () => assert.match(await said.innerText(), /^Fixed on line \d+: /));
  await eventually("the focus", async () => assert.equal(await page.evaluate(() =>
    [...document.querySelectorAll(".findings > li")].findIndex((item) => item.contains(document.activeElement))), 2));
  await said.locator("button").click();
  assert.equal(await editorText(page), file);

  // Undo is for the fix only, so it goes with the next edit.
  await page.click("#tab-urls");
  await page.click("#editor .cm-line:nth-child(5)");
  await eventually("the strip", async () => assert.ok(await page.locator("#strip .apply").count()));
  await page.locator("#strip .apply").first().click();
  await eventually("the fix", async () => assert.match(await page.innerText("#strip .fixed"), /^Fixed on line/));
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Undo");
  await page.click("#editor .cm-line:nth-child(1)");
  await page.keyboard.type("x");
  assert.equal(await page.locator("#strip .fixed button").count(), 0);
});

test("an example's older version is not compared with one's own file", async (t) => {
  const page = await open(t);
  await page.click("#tab-compare");
  await page.waitForSelector(".diff-card");
  // The example, edited, is compared still.
  await page.click("#editor .cm-content");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\nDisallow: /more\n");
  await eventually("the edit", async () => assert.match(await page.innerText("#panel-compare .diff"), /\/more/));
  await write(page, OWN);
  await eventually("nothing", async () => assert.match(await page.innerText("#panel-compare .diff"), /Put an older version of your file into “Before”/));
  assert.equal(await editorText(page, "#panel-compare"), "");
  // What one has written oneself stays.
  await write(page, "User-agent: *\nDisallow: /mine\n", "#panel-compare");
  await write(page, "User-agent: *\nDisallow: /other\n");
  await eventually("the changes", async () => assert.match(await page.innerText("#panel-compare .diff"), /\/other[^]*\/mine/));
  assert.equal(await editorText(page, "#panel-compare"), "User-agent: *\nDisallow: /mine\n");
});

test("answers that are out of date are marked until the new ones are there", async (t) => {
  const page = await open(t);
  const text = `User-agent: *\n${Array.from({ length: 8_000 }, (_, index) => `Disallow: /section/${index}`).join("\n")}\n`;
  await page.setInputFiles("#open", { name: "large.txt", mimeType: "text/plain", buffer: Buffer.from(text) });
  const busy = () => page.locator("#panel-urls .table-box").getAttribute("aria-busy");
  await eventually("fresh", async () => assert.equal(await busy(), null));
  await page.waitForTimeout(1000);
  await page.click("#editor .cm-content");
  await page.keyboard.type("#");
  await page.waitForTimeout(300); // The page waits for 600 ms of quiet.
  assert.equal(await busy(), "true");
  assert.equal(await page.isVisible("#outdated"), true);
  await eventually("fresh", async () => assert.equal(await busy(), null));
  await eventually("fresh", async () => assert.equal(await page.isVisible("#outdated"), false));
});

test("names and headers that name nobody are told", async (t) => {
  const page = await open(t);
  await write(page, OWN);
  await setCrawlers(page, "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/120.0 Safari/537.36", "ü", "GPTBot");
  await page.fill("#urls", "/own");
  assert.deepEqual(await table(page, 1), [["/own", "disallow", "disallow", "disallow"]]);
  assert.deepEqual(await page.locator(".warnings p").allInnerTexts(), [
    "No word of the User-Agent header is a crawler's name.",
    "'ü' is not a product token, so no group can name it.",
  ]);
  await page.click("#panel-urls tbody td:nth-child(3) button");
  await eventually("why", async () => assert.match(await page.innerText(".why .warn"), /is not a product token/));
  await page.selectOption("#profile", "google");
  await page.click("[aria-label='Remove ü']");
  await setCrawlers(page, "mj12bot");
  await eventually("google's names", async () => assert.deepEqual(await page.locator(".warnings p").allInnerTexts(), [
    "'mj12bot' is not a product token, so no group can name it; did you mean 'mj'?",
  ]));
});

test("the crawler that was probably meant is asked about", async (t) => {
  const page = await open(t);
  await write(page, OWN);
  await setCrawlers(page, "GTPBot", "GPTBot", "OwnBot", "*");
  await page.fill("#urls", "/own");
  await table(page, 1);
  const question = "No crawler is known as 'GTPBot': did you mean 'GPTBot'?";
  await eventually("the question", async () => assert.deepEqual(await page.locator(".warnings p").allInnerTexts(), [question]));
  await page.click("#panel-urls tbody td:nth-child(2) button");
  await eventually("why", async () => assert.equal(await page.innerText(".why .warn"), question));
  // A name that the file has is right there.
  await write(page, `${OWN}\nUser-agent: GTPBot\nDisallow: /\n`);
  await eventually("no question", async () => assert.equal(await page.locator(".warnings p").count(), 0));
});

test("URLs without a scheme, and very long ones", async (t) => {
  const page = await open(t);
  await write(page, OWN);
  await setCrawlers(page, "Bot");
  await page.fill("#urls", "example.com/own\n/else");
  await table(page, 2);
  await page.click("#panel-urls tbody tr:nth-child(1) button");
  await eventually("the reason", async () => assert.match(await page.innerText(".why .problem"), /invalid URL: expected scheme/));
  await page.click(".why >> text=Use https://example.com/own");
  assert.equal(await page.inputValue("#urls"), "https://example.com/own\n/else");
  await eventually("the verdict", async () => assert.match(await page.innerText(".why"), /Line 2 decides/));
  await pasteUrls(page, [`/${"x".repeat(60_000)}end`, "/a"]);
  await table(page, 2);
  await page.click("#panel-urls tbody tr:nth-child(1) button");
  await eventually("the long URL", async () => assert.match(await page.innerText(".why .url"), /… 59,004 characters … x+end$/));
  assert.ok((await page.innerText(".why")).length < 3000);
  await page.click("#tab-automaton");
  await eventually("the walk", async () => assert.ok((await page.innerText(".step-says")).length > 0));
});

test("the summary counts crawlers of a purpose, and pages have their numbers", async (t) => {
  const page = await open(t);
  await write(page, "User-agent: GPTBot\nDisallow: /a\n");
  await setCrawlers(page);
  await page.selectOption("#purpose", "ai-training");
  await page.click("text=Add all");
  await page.fill("#urls", "/a\n/b");
  await table(page, 2);
  await eventually("the summary", async () =>
    assert.match(await page.innerText("#panel-urls .summary"), /^2 URLs: All of AI training may all fetch 1, and some of them 1 more\.$/));
  await page.click("#tab-crawlers");
  await page.waitForSelector("#panel-crawlers .purpose");
  assert.match(await page.locator(".page-verdicts").first().innerText(), /^1\.\s*✓\s*allow\s+2\./);
});
