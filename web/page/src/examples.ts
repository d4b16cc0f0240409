/** Files to try the page with. The news site and the hostile one are of the project's own corpus. */

import hostile from "../../../corpora/robots/hostile.example.txt";
import news from "../../../corpora/robots/news.example.txt";
import ai from "../examples/ai.txt";
import aiBefore from "../examples/ai-before.txt";
import rights from "../examples/rights.txt";
import shop from "../examples/shop.txt";
import shopBefore from "../examples/shop-before.txt";
import { type Asker, knownAsker } from "./engine/asker.js";
import type { GivenRights } from "./link.js";

export interface Example {
  title: string;
  file: string;
  /** An older version, to compare. */
  before?: string;
  askers: Asker[];
  urls: string[];
  /** The verdict that is explained. */
  shown: { asker: number; url: number };
  /** What a response says besides. */
  rights?: GivenRights;
}

const named = (...names: string[]): Asker => ({ kind: "names", names });

export const EXAMPLES: readonly Example[] = [
  {
    title: "A shop, with mistakes",
    file: shop,
    before: shopBefore,
    askers: [named("Googlebot"), named("AhrefsBot"), named("MyCrawler")],
    urls: [
      "https://shop.example/",
      "https://shop.example/shoes?sort=price",
      "https://shop.example/shoes?sort=newest",
      "https://shop.example/search/categories",
      "https://shop.example/search/suggest?q=boots",
      "https://shop.example/cart",
      "https://shop.example/internal/prices",
      "https://shop.example/old-shop/1999",
    ],
    shown: { asker: 0, url: 2 },
  },
  {
    title: "A news site",
    file: news,
    askers: [knownAsker(["Googlebot-News", "Googlebot"]), named("Bingbot"), named("GPTBot"), { kind: "purpose", purpose: "search" }],
    urls: [
      "https://news.example/",
      "https://news.example/archive/1999?print=1",
      "https://news.example/uk%2dnews/sponsored/%7ex",
      "https://news.example/live/42/feed.json",
      "https://news.example/licence",
      "https://news.example/robots.txt",
    ],
    shown: { asker: 0, url: 2 },
  },
  {
    title: "AI crawlers shut out",
    file: ai,
    before: aiBefore,
    askers: [
      { kind: "purpose", purpose: "ai-training" },
      { kind: "purpose", purpose: "ai-assistants" },
      named("GPTBot"),
      { kind: "header", header: "Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)" },
    ],
    urls: ["/", "/licence", "/archive/2020/essay", "/drafts/next"],
    shown: { asker: 3, url: 1 },
  },
  {
    title: "What a page may be used for",
    file: rights,
    askers: [named("ExampleBot"), named("GPTBot"), named("Googlebot")],
    urls: [
      "https://museum.example/",
      "https://museum.example/essays/light",
      "https://museum.example/press/opening",
      "https://museum.example/private/letters",
    ],
    shown: { asker: 0, url: 1 },
    rights: {
      headers: "HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8\nX-Robots-Tag: max-snippet: 160\nX-Robots-Tag: otherbot: noindex\n" +
        'tdm-reservation: 1\ntdm-policy: https://museum.example/tdm.json\nLink: </licence>; rel="license"\n',
      html: '<!doctype html>\n<title>Light in March</title>\n<meta name="robots" content="noai, max-image-preview:large">\n',
      reading: "generic",
      url: "https://museum.example/essays/light",
      crawler: "nExampleBot",
    },
  },
  {
    title: "Hostile wildcards",
    file: hostile,
    askers: [named("*")],
    urls: [`/${"abcdefgh".repeat(12)}X0`, `/${"abcdefgh".repeat(12)}`, "/a/b/c/d/e/f/g/h/a/X0"],
    shown: { asker: 0, url: 0 },
  },
];

export function exampleBefore(before: string): Example | undefined {
  return before === "" ? undefined : EXAMPLES.find((example) => example.before === before);
}

/** Whether a file is an example still, perhaps edited: it has half of its lines at least. */
export function isVersionOf(text: string, file: string): boolean {
  const lines = new Set(text.split("\n"));
  const of = new Set(file.split("\n").filter((line) => line.trim() !== ""));
  return [...of].filter((line) => lines.has(line)).length * 2 >= of.size;
}
