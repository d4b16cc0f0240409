import { answer, assertReady, call, MAX_EXPLAINED_URL_LENGTH, written } from "./bytes.js";
import { isProfileNamed, Policy, rawOf, release } from "./core.js";
import { currentInstance } from "./error.js";
import { Robots as FullRobots } from "./full.js";
import { listOf, optionsOf, shown, someOf, stringOf, urlOf } from "./given.js";
import type { KnownReport, Purpose, ReachReport, RecordsReport } from "./reports.js";
import type { Address, RecordsOptions } from "./types.js";
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
  urls?: readonly Address[];
}

/** Crawlers to shut out; one at least. */
export interface BlockOptions {
  /** The known crawlers that read for one of these purposes, such as `ai-training`. */
  purposes?: readonly Purpose[];
  /** Crawlers, known or not, by their product tokens. */
  crawlers?: readonly string[];
}

/** A robots.txt that shuts crawlers out; proven. */
export interface BlockedFile {
  /** The file. */
  text: string;
  /** The same in bytes. */
  bytes: Uint8Array;
  /** The caveats, in sentences: who does not obey, and what else follows. */
  notes: string[];
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

  /**
   * The part of the site that each known crawler may read. If the profile was named, all are judged by that one.
   * Else the file is read for each crawler as its operator does, where that is known.
   */
  crawlers(options?: CrawlersOptions): ReachReport {
    const { purposes = [], urls = [] } = optionsOf(options, "purposes", "urls");
    const wanted = purposesOf(purposes);
    const pages = listOf(urls, "urls").map((url) => stringOf(urlOf(url), "a URL", MAX_EXPLAINED_URL_LENGTH));
    const raw = rawOf(this);
    return answer(call(() => raw.crawlers(pages, wanted, isProfileNamed(this))));
  }

  /**
   * The file with crawlers shut out of the whole site: they are taken out of the groups that name them, and new groups shut
   * them out. It is proven, by the automata of all profiles, that they may read nothing, and that nothing changes for
   * others.
   *
   * Throws a {@link RobotsieveError} with the code `cannot-block` if that cannot be proven, and with `invalid-name` if one of
   * `crawlers` is no product token. Judges all known crawlers in all profiles, so it takes much longer than a verdict.
   */
  block(options: BlockOptions): BlockedFile {
    const read = optionsOf(options, "purposes", "crawlers");
    const wanted = purposesOf(read.purposes ?? []);
    const tokens = listOf(read.crawlers ?? [], "crawlers").map((token) => stringOf(token, "a token", 1000));
    if (wanted.length + tokens.length === 0) throw new RangeError("no crawler is named: give purposes or crawlers");
    const [raw, instance] = [rawOf(this), currentInstance()];
    const edited = call(() => raw.block(wanted, tokens));
    try {
      const bytes = call(() => edited.file());
      const notes = answer<string[]>(call(() => edited.json()));
      return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), bytes, notes };
    } finally {
      release(edited, instance);
    }
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

/** The purposes for which crawlers read, in the order of reports: names, headings, and descriptions without a full stop. */
export function purposes(): { purpose: Purpose; title: string; description: string }[] {
  assertReady();
  return answer(call(() => wasm.purposes()));
}

function purposesOf(given: readonly Purpose[]): string[] {
  const wanted = listOf(given, "purposes").map((purpose) => stringOf(purpose, "a purpose", 100));
  const all = purposes();
  const unknown = wanted.find((name) => !all.some(({ purpose }) => purpose === name));
  if (unknown !== undefined) throw new RangeError(`there is no purpose ${shown(unknown)}`);
  return wanted;
}

/** The crawlers that are known by name. */
export function knownCrawlers(): KnownReport {
  assertReady();
  return answer(call(() => wasm.knownCrawlers()));
}
