/** The data that rights are read from, and what is said of them. */

import type { Ruling } from "./reports.js";
import type { Address, Text } from "./types.js";

/**
 * What content can be used for.
 *
 * - `crawl`: to fetch it. Allow and Disallow of robots.txt alone.
 * - `index`: to list it in search results.
 * - `snippet`: to show a part of it there.
 * - `ai-input`: to give it to a model that answers a question.
 * - `ai-train`: to train a model on it.
 * - `ai-index`: to have it in an index for AI systems. Only where an RSL document covers the URL.
 */
export type RightsPurpose = "crawl" | "index" | "snippet" | "ai-input" | "ai-train" | "ai-index";

/** Whose reading of robots tags is followed; `generic`: the rules that do not depend on one search engine. */
export type TagReading = "generic" | "google" | "bing" | "yandex" | "amazon";

/** A draft of draft-ietf-aipref-vocab, which defines the labels of Content-Usage. */
export type Vocabulary = "01" | "02" | "03" | "04" | "05" | "06" | "07" | "08";

/** A name in robots.txt that no crawler sends. What it disallows may be fetched, but not be used for these purposes. */
export interface PolicyToken {
  name: string;
  purposes: RightsPurpose[];
}

export interface RightsOptions {
  /** Default: `generic`. */
  reading?: TagReading;
  /** Default: the newest. */
  vocabulary?: Vocabulary;
  /** The time by which `unavailable_after` is judged, in milliseconds if it is a number. Default: that of each question. */
  now?: Date | number;
  /** The policy tokens that the crawler's operator heeds, such as `Google-Extended`. Default: none. */
  policyTokens?: readonly string[];
}

/**
 * The header of a response: `Name: value` lines as `curl -D FILE` writes them (after redirects the last response counts), a
 * `Headers` object, pairs, or an object of values or lists of values, such as Node's `headers` and `headersDistinct`.
 *
 * `Headers` and Node's `headers` join the lines of one field, and with it a crawler's name at the beginning of one
 * `X-Robots-Tag` is for the rules of the next ones too. Text, pairs and `headersDistinct` keep them apart.
 */
export type GivenHeaders =
  | Text
  | Iterable<readonly [name: string, value: Text]>
  | { readonly [name: string]: Text | readonly Text[] | undefined };

/**
 * Files of a site by their addresses: absolute URLs, or `/.well-known/tdmrep.json`. Beside a URL also other paths of its site.
 * `null` is a file that could not be read, and may say no; one that is not there is left out.
 */
export type GivenFiles =
  | Iterable<readonly [address: Address, file: Text | null]>
  | { readonly [address: string]: Text | null | undefined };

/**
 * What a crawler may do with a URL and its content. Members that would be empty are left out, except `by`.
 *
 * A place is `robots.txt:LINE`; `header:NAME`, with `:N` for the Nth line of that name where lines are read for themselves;
 * `html:meta:N`, `html:link:N`, `html:script:N`, the Nth such element; `file:/.well-known/tdmrep.json:N`, the Nth rule;
 * `rsl:URL:C.L`, licence L of content C. They count from 1.
 */
export interface Rights {
  "crawl": Ruling;
  "index": Ruling;
  "snippet": Ruling;
  "ai-input": Ruling;
  "ai-train": Ruling;
  /** Only if an RSL document covers the URL. */
  "ai-index"?: Ruling;
  /** The places that decided. */
  "by": { [purpose in RightsPurpose]?: string[] };
  "licences"?: Licence[];
  /** The disallowed purposes for which a licence can be had. */
  "licensable"?: RightsPurpose[];
  /** `attribution`, `contribution`, `user:…`, `not-user:…`, `geo:…` and `not-geo:…`. */
  "conditions"?: { [purpose in RightsPurpose]?: string[] };
  "limits"?: { "max-snippet"?: number; "index"?: "if-embedded"; "ai-input"?: "url-title-snippet" };
  /** The ceiling that Content Signals set with `use=`. It changes no ruling. */
  "use"?: "immediate" | "reference" | "full";
  /** Codes for anything unusual: see docs/rights.md of the project. */
  "notes"?: string[];
}

/** A licence that the site names for the URL. */
export interface Licence {
  kind: "rsl" | "tdm-policy" | "other";
  /** `null` for a document in the page. */
  url: string | null;
  /** The place that names it. */
  via: string;
  /** Of RSL: whether its document was given, is valid, and covers the URL. */
  state?: "not-given" | "invalid" | "no-match" | "element-scoped" | "read";
}

/** Rights in words. */
export interface RightsReport {
  purposes: {
    purpose: RightsPurpose;
    ruling: Ruling;
    /** The places that decided, each with what stands there and the text it follows: `robots.txt:2: Disallow: / [rfc9309]`. */
    reasons: string[];
  }[];
  /** Sentences about licences, conditions and limits, and what is odd, without a full stop. */
  sentences: string[];
}
