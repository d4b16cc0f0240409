// The link, the lists, the drawing: what needs no browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { answers, engine, source } from "./bundle.mjs";

const {
  Answers, askerOf, completed, LinkError, MAX_FRAGMENT, parsedAsker, read, utf16, whereItWorks, writtenAsker, written,
} = await answers("link.ts");
const { layout } = await source("layout.ts");
const { tokens } = await source("highlight.ts");
const { folded, shown, shortened } = await source("engine/shown.ts");
const { urlsOf } = await source("engine/limits.ts");
const { byteOrder, decoded } = await source("files.ts");
const { commonSite } = await source("views/urls.ts");
const { EXAMPLES } = await source("examples.ts");
const { PROFILES } = await engine();

const STATE = {
  file: "\uFEFFUser-agent: *\nDisallow: /ä\u0000\u{1F916}\n", before: null, profile: "google", urls: "/a\n\n https://e.example/?q=ü ",
  askers: [{ kind: "names", names: ["Googlebot-News", "Googlebot"] }, { kind: "header", header: "Mozilla/5.0 (a; b)" }, { kind: "purpose", purpose: "ads" }, { kind: "known", names: ["Googlebot-News", "Googlebot"] }],
  tab: "automaton", shown: { asker: 1, url: 0 }, rights: null, wishes: null,
};

test("a link carries the whole state", async () => {
  const rights = { headers: "A: é\n", html: "<p>\u0000", reading: "bing", url: "/x", crawler: "nGooglebot-News,Googlebot" };
  for (const state of [STATE, { ...STATE, rights }, { ...STATE, wishes: { "shut": "FooBot", "ai-training": "nothing" } }, { ...STATE, before: "", shown: null }, { ...STATE, before: "x", file: "" }]) {
    const fragment = await written(state);
    assert.match(fragment, /^1\.[\w-]+$/);
    assert.deepEqual(await read(fragment), state);
  }
});

test("a state that is too large is refused with a size", async () => {
  const noise = Array.from({ length: 60_000 }, (_, index) => ((index * 2654435761) >>> 7).toString(36)).join("\n");
  await assert.rejects(written({ ...STATE, urls: noise }), (error) =>
    error instanceof LinkError && /too much for a link.*[\d,]{6,} characters.*32,768/.test(error.message));
});

test("a damaged link is refused, whatever is wrong with it", async () => {
  const good = await written(STATE);
  const packed = (value) => `1.${deflateRawSync(Buffer.from(value)).toString("base64url")}`;
  const damaged = [
    "x", "1", "1.", ".", "top", "9.AAAA", `2.${good.slice(2)}`, good.slice(0, -8), good.slice(0, 20), `${good}!`, good.replace(".", "."[0] + "%20"),
    packed("{"), packed("null"), packed("[]"), packed("{}"), packed(JSON.stringify({ f: 1 })),
    packed(JSON.stringify({ f: "", p: "nobody", c: [], u: "", t: "urls" })),
    packed(JSON.stringify({ f: "", p: "google", c: ["x"], u: "", t: "urls" })),
    packed(JSON.stringify({ f: "", p: "google", c: [], u: "", t: "urls", s: [1] })),
    ...[1, null, {}, { headers: "", html: "", reading: "none", url: "", crawler: "n*" }, { headers: "", html: "", reading: "bing", url: "", crawler: "x" }]
      .map((r) => packed(JSON.stringify({ f: "", p: "google", c: [], u: "", t: "urls", r }))),
    ...[1, "x", { shut: 1 }].map((w) => packed(JSON.stringify({ f: "", p: "google", c: [], u: "", t: "urls", w }))),
    packed(Buffer.from([0x22, 0xff, 0x22])),
    // A small link that would become a gigabyte.
    packed("a".repeat(20 << 20)),
    "1." + "A".repeat(MAX_FRAGMENT),
  ];
  for (const fragment of damaged) {
    await assert.rejects(read(fragment), (error) => error instanceof LinkError && error.message.endsWith("."), fragment.slice(0, 60));
  }
  await assert.rejects(read("2.AAAA"), /newer version/);
  // Each byte of a link in turn: an error or a state, and nothing else.
  for (let at = 2; at < good.length; at++) {
    const other = good.slice(0, at) + (good[at] === "A" ? "B" : "A") + good.slice(at + 1);
    await read(other).catch((error) => assert.ok(error instanceof LinkError, String(error)));
  }
});

test("who asks, as one types it", async () => {
  assert.deepEqual(askerOf(" GPTBot "), { kind: "names", names: ["GPTBot"] });
  assert.deepEqual(askerOf("Googlebot-News, Googlebot,"), { kind: "names", names: ["Googlebot-News", "Googlebot"] });
  assert.deepEqual(askerOf("curl/8.5"), { kind: "header", header: "curl/8.5" });
  assert.deepEqual(askerOf("*"), { kind: "names", names: ["*"] });
  assert.equal(askerOf("  "), null);
  assert.deepEqual(completed(askerOf("googlebot-image")), { kind: "known", names: ["googlebot-image", "Googlebot"] });
  assert.deepEqual(completed(askerOf("Nobody")), { kind: "names", names: ["Nobody"] });
  for (const asker of STATE.askers) assert.deepEqual(parsedAsker(writtenAsker(asker)), asker);
  for (const wrong of ["", "x", "pnothing", "qGPTBot"]) assert.equal(parsedAsker(wrong), null);
});

test("an answer for a wrong name says what is wrong", async () => {
  const of = new Answers("User-agent: *\nDisallow: /");
  const [column, good] = of.table("rfc9309", [askerOf("Foo Bot"), askerOf("GPTBot")], ["/"]);
  assert.equal(column.kind, "error");
  assert.match(column.message, /Foo/);
  assert.deepEqual([...good.verdicts], [0]);
  assert.throws(() => of.why("rfc9309", askerOf("GPTBot"), "nothing"), /nothing/);
});

test("findings: the gravest first, those of one severity by their lines; their texts by the same numbers", () => {
  for (const { file } of EXAMPLES) {
    const of = new Answers(file);
    const { count, severity, line, from, first } = of.lint("rfc9309");
    const places = Array.from({ length: count }, (_, number) => [-severity[number], line[number]]);
    assert.deepEqual(places, places.toSorted(([a, b], [c, d]) => a - c || b - d));
    const texts = of.findings("rfc9309", [...places.keys()]);
    assert.deepEqual(texts.map((finding) => [finding.line, finding.file_span[0]]), [...places.keys()].map((number) => [line[number], from[number]]));
    assert.deepEqual(texts.slice(0, first.length), first);
    of.free();
  }
});

test("URLs, one a line", () => {
  assert.deepEqual(urlsOf("/a\r\n\r\n  /b \n#c\r/d"), ["/a", "/b", "#c", "/d"]);
  assert.equal(commonSite(["https://a.example/x", "https://a.example/"]), "https://a.example");
  assert.equal(commonSite(["https://a.example/x", "https://a.example.com/"]), "");
  assert.equal(commonSite(["/a", "/b"]), "");
  assert.equal(commonSite(["https://a.example/"]), "");
  // Paths and what is no URL have no host.
  assert.equal(commonSite(["nothing", "https://a.example/x", "/path", "https://a.example/"]), "https://a.example");
  assert.equal(commonSite(["https://a.example/x", "ftp://a.example/"]), "");
});

test("files that are no UTF-8 are told", () => {
  assert.deepEqual(decoded(Uint8Array.from([0xef, 0xbb, 0xbf, 0x61])), { text: "\uFEFFa", replaced: 0 });
  assert.deepEqual(decoded(Uint8Array.from([0x61, 0xe9, 0x62])), { text: "a\uFFFDb", replaced: 1 });
  assert.deepEqual(decoded(new TextEncoder().encode("\uFFFD")), { text: "\uFFFD", replaced: 0 });
});

test("UTF-16 is told by the engine, with and without a byte order mark", () => {
  const text = "User-agent: *\nDisallow: /a\n";
  const little = Buffer.from(text, "utf16le");
  const big = Buffer.from(little).swap16();
  for (const [bytes, order] of [[little, "utf-16le"], [big, "utf-16be"]]) {
    const mark = order === "utf-16le" ? [0xff, 0xfe] : [0xfe, 0xff];
    for (const file of [Uint8Array.from(bytes), Uint8Array.from([...mark, ...bytes])]) {
      assert.equal(byteOrder(file), order);
      assert.equal(new TextDecoder(order).decode(file), text);
      assert.equal(utf16(file), "the file is encoded in UTF-16, in which most crawlers find no rule");
    }
  }
  // NUL bytes alone make none.
  const odd = new TextEncoder().encode("User-agent: *\nDisallow: /\0\n");
  assert.equal(utf16(odd), null);
  assert.equal(byteOrder(new TextEncoder().encode(text)), null);
  assert.equal(byteOrder(new Uint8Array()), null);
});

test("a link to a page on this machine is told to work there only", () => {
  for (const here of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) assert.match(whereItWorks(here), /^It works on this machine only, /);
  for (const there of ["example.com", "localhost.example", "10.0.0.1", "127.0.0.1.example"]) assert.equal(whereItWorks(there), "");
});

test("nothing in a text can hide or reorder what is shown", () => {
  assert.equal(shown("a\u0000b\u202Ec\u200Bd\te"), "a\\x00b\\u{202e}c\\u{200b}d\\x09e");
  for (const hidden of "\u00A0\u00AD\u180E\u2003\u206F\u3000") assert.match(shown(hidden), /^\\u\{\w+\}$/);
  assert.equal(shown(" é—日"), " é—日");
  assert.equal(shortened("abcdef", 3), "abc…");
  assert.equal(shortened("abc", 3), "abc");
  assert.equal(folded("abc"), "abc");
  assert.equal(folded(`a${"b".repeat(4_998)}c`, 10), "abbbbbbb … 4,990 characters … bc");
});

test("tokens are in order and cover fields, values and comments", () => {
  const texts = (line) => tokens(line).map(({ kind, from, to }) => `${kind}=${line.slice(from, to)}`);
  assert.deepEqual(texts("  Disallow : /a*b$ # c"), ["disallow=Disallow", "value=/a", "wildcard=*", "value=b", "wildcard=$", "comment=# c"]);
  assert.deepEqual(texts("User-Agent: * "), ["agent=User-Agent", "value=*"]);
  assert.deepEqual(texts("# all: comment"), ["comment=# all: comment"]);
  assert.deepEqual(texts("Allow:/$x"), ["allow=Allow", "value=/$x"]);
  assert.deepEqual(texts("nothing"), []);
  assert.deepEqual(texts("a: http://b:8"), ["other=a", "value=http://b:8"]);
  for (const line of ["::", ": :#:", "*:*", "allow:***", "disallow:$", "   :  "]) {
    let last = 0;
    for (const { from, to } of tokens(line)) {
      assert.ok(from >= last && to >= from && to <= line.length, line);
      last = to;
    }
  }
});

test("drawings: every state once, none upon another, the same each time", async () => {
  for (const example of EXAMPLES) {
    for (const profile of PROFILES) {
      for (const url of [null, ...example.urls]) {
        const of = new Answers(example.file);
        const machine = of.machine(profile, { kind: "names", names: ["Googlebot"] }, url);
        if (machine.kind === "too-large") continue;
        const { automaton } = machine;
        const drawing = layout(automaton);
        assert.deepEqual(layout(automaton), drawing);
        assert.equal(drawing.nodes.length, automaton.states.length);
        for (const [index, a] of drawing.nodes.entries()) {
          assert.ok(a.x > 0 && a.y > 0 && a.x < drawing.width && a.y < drawing.height, `${example.title} ${url}`);
          for (const b of drawing.nodes.slice(index + 1)) {
            assert.ok(Math.hypot(a.x - b.x, a.y - b.y) > 36, `${example.title}, ${profile}, ${url}: states ${a.state} and ${b.state} overlap`);
          }
        }
        assert.ok(drawing.edges.every((edge) => !/NaN|undefined|Infinity/.test(edge.path)));
        // The whole walk is drawn, and its verdict is the engine's.
        if (automaton.walk) {
          assert.ok(automaton.walk.steps.every((step) => step.state !== null), `${example.title} ${url}`);
          const last = automaton.walk.steps.at(-1)?.state ?? automaton.start;
          assert.equal(automaton.states[last].verdict, automaton.walk.verdict);
          if (!/robots\.txt/.test(url)) {
            const [column] = of.table(profile, [{ kind: "names", names: ["Googlebot"] }], [url]);
            assert.equal(column.verdicts[0] === 1 ? "allow" : "disallow", automaton.walk.verdict);
          }
        }
        of.free();
      }
    }
  }
});
