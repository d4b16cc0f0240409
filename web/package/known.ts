import { answer, assertReady, call, MAX_EXPLAINED_URL_LENGTH, written } from "./bytes.js";
import { Policy, rawOf } from "./core.js";
import { Robots as FullRobots } from "./full.js";
import { listOf, optionsOf, shown, someOf, stringOf } from "./given.js";
import type { KnownReport, Purpose, ReachReport, RecordsReport } from "./reports.js";
import type { RecordsOptions } from "./types.js";
import * as wasm from "./wasm.js";

export type * from "./reports.js";
export type * from "./types.js";
export {
  ALLOW, diff, DISALLOW, headerNames, INVALID, lintCodes, OutOfMemoryError, Policy, PROFILES, RobotsieveError,
  type ErrorCode,
} from "./full.js";

export interface CrawlersOptions {
  /** Only the crawlers that read for one of these purposes, such as `search`. Default: all. */
  purposes?: readonly Purpose[];
  /** The pages to judge: URLs, or paths that begin with `/`. Default: some that tell crawlers apart. */
  urls?: readonly string[];
}

/** Everything of {@link FullRobots}, records with their meaning, and what the crawlers that are known by name may read. */
export class Robots extends FullRobots {
  /** The records that are neither user-agent lines nor rules: sitemaps, crawl delays and so on, with what they mean. */
  records(options?: RecordsOptions): RecordsReport {
    const { crawlers } = optionsOf(options, "crawlers");
    const who = written(crawlers === undefined ? [] : someOf(crawlers, "crawlers"));
    const raw = rawOf(this);
    return answer(call(() => raw.records(who)));
  }

  /** The part of the site that each known crawler may read. */
  crawlers(options?: CrawlersOptions): ReachReport {
    const { purposes = [], urls = [] } = optionsOf(options, "purposes", "urls");
    const wanted = listOf(purposes, "purposes").map((purpose) => stringOf(purpose, "a purpose", 100));
    const pages = listOf(urls, "urls").map((url) => stringOf(url, "a URL", MAX_EXPLAINED_URL_LENGTH));
    const raw = rawOf(this);
    return answer(call(() => raw.crawlers(pages, wanted)));
  }

  /** The policy for the known crawler with this product token. One that ignores the group of `*` may fetch everything. */
  policyOfKnown(token: string): Policy {
    const name = stringOf(token, "a token", 1000);
    const raw = rawOf(this);
    const policy = call(() => raw.policyOfKnown(name));
    if (policy === undefined) throw new RangeError(`no crawler is known by the token ${shown(name)}`);
    return Policy.of(policy);
  }

  /** The consequence, if a known crawler ignores the group of `*` and no group names it. `null`: it obeys the file. */
  noteOfKnown(token: string): string | null {
    const name = stringOf(token, "a token", 1000);
    const raw = rawOf(this);
    return call(() => raw.noteOfKnown(name)) ?? null;
  }

  /** A sentence, if no crawler is known by this token, the file does not name it, and a known one was probably meant. */
  didYouMean(token: string): string | null {
    const name = stringOf(token, "a token", 1000);
    const raw = rawOf(this);
    return call(() => raw.didYouMean(name)) ?? null;
  }
}

/** The purposes for which crawlers read, in the order of reports: names and headings. */
export function purposes(): { purpose: Purpose; title: string }[] {
  assertReady();
  return answer(call(() => wasm.purposes()));
}

/** The crawlers that are known by name. */
export function knownCrawlers(): KnownReport {
  assertReady();
  return answer(call(() => wasm.knownCrawlers()));
}
