// What a site wants of crawlers, and what is built of it.

import type { Address, ProfileName } from "./types.js";

/** A text, or several. */
export type Texts = string | readonly string[];

/** A URL, or several. */
export type Addresses = Address | readonly Address[];

/** Crawlers, and what they may do. A group without rules lets its crawlers read everything. */
export interface IntentionsGroup {
  /**
   * Product tokens; `@ai-training` and the like for all known crawlers of a purpose, `@all` for all known ones; `*` for all
   * that no group is for. The surest name counts: a token, then a purpose, then `@all`, then `*`.
   */
  crawlers: Texts;
  /** Patterns of what they may read, as in a robots.txt: `*` is any text, a final `$` the end of the URL. */
  allow?: Texts | undefined;
  /** Patterns of what they may not read. An empty one is no rule. */
  disallow?: Texts | undefined;
  /** Beginnings of paths that they may read, in which every character stands for itself. */
  allow_path?: Texts | undefined;
  /** Beginnings of paths that they may not read, in which every character stands for itself. */
  disallow_path?: Texts | undefined;
  /** Seconds between two requests. Few crawlers obey it. */
  crawl_delay?: number | undefined;
  /** Content-Signal statements, such as `search=yes, ai-train=no`. A draft. */
  content_signal?: Texts | undefined;
  /** Content-Usage statements, such as `train-ai=n`. A draft. */
  content_usage?: Texts | undefined;
  /** Absolute URLs of licences for these crawlers (RSL). */
  license?: Addresses | undefined;
  /** Lines before the group, without `#`. Without any, a group for a purpose has its name. */
  comment?: Texts | undefined;
  /** Records of other fields, such as `Request-rate: 1/5`. */
  other?: Texts | undefined;
}

/** What a site wants of crawlers: the same document that `robotsieve write` reads. */
export interface Intentions {
  groups?: readonly IntentionsGroup[] | undefined;
  /** Absolute URLs of sitemaps. */
  sitemap?: Addresses | undefined;
  /** Absolute URLs of licences for everybody (RSL). */
  license?: Addresses | undefined;
  /** The main mirror, which only Yandex read, until 2018. */
  host?: Texts | undefined;
  /** Lines at the beginning of the file, without `#`. */
  comment?: Texts | undefined;
  /** Expectations of the file, such as `allow Googlebot /`: building fails if one does not hold. */
  expect?: Texts | undefined;
  /** The profiles in which the file must mean this. Default: all but `original-1994`. */
  profiles?: ProfileName | readonly ProfileName[] | undefined;
}

/** A robots.txt that was built; proven. */
export interface BuiltRobotsTxt {
  text: string;
  /** The profiles in which it is proven. */
  profiles: ProfileName[];
  /** The caveats, in sentences: who does not obey, and what is not proven. */
  notes: string[];
}
