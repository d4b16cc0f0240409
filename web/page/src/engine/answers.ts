/** Every answer that the page gives. Runs in the workers, and in the tests in Node. */

import {
  type Automaton, type BuildFault, buildRobotsTxt, CannotBuildError, type CompareReport, type Crawler, diff, type DiffReport, DISALLOW, type ExplainReport, type Finding, type Intentions, INVALID,
  type KnownCrawler, type ProfileName, type Purpose, type ReachReport, RightsReader, type RightsReport, Robots, RobotsieveError, type TagReading,
} from "robotsieve";
import { type Asker, byToken, ofPurpose } from "./asker.js";
import { freed } from "./freed.js";
import { FINDINGS_PAGE, SEVERITIES } from "./limits.js";

/** A robots.txt: text in the page, bytes in the tests of the cases. */
export type FileText = string | Uint8Array;

/** The verdicts on all URLs for one column of the table. */
export type Column =
  | {
      kind: "crawler";
      /** For each URL `ALLOW`, `DISALLOW` or `INVALID`. */
      verdicts: Uint8Array;
      /** The `User-agent` line of the group that applies; `null` without one. */
      group: { line: number; value: string } | null;
      /** What is odd about the name or header. */
      warning: string | null;
    }
  | {
      kind: "purpose";
      /** The names of the crawlers. */
      members: string[];
      /** For each URL how many of them may not fetch it. */
      disallowed: Uint16Array;
      /** For each URL whether it is invalid (1). */
      invalid: Uint8Array;
    }
  | { kind: "error"; message: string };

export interface Why {
  explanation: ExplainReport;
  comparison: CompareReport;
  /** What follows if it is a known crawler that ignores the groups for everybody, and no group names it. */
  ignoresStar: string | null;
  /** As in {@link Column}. */
  warning: string | null;
}

/** Whom to shut out. */
export type Blocked = { purposes: Purpose[] } | { crawlers: string[] };

/** Which crawlers of a purpose may fetch a URL. */
export interface Members {
  allowed: Member[];
  disallowed: Member[];
}

export interface Member {
  name: string;
  /** As in {@link Asker}. */
  names: string[];
}

/** Findings by number, errors first: what the editor and the filters need of thousands. The texts are asked for page by page. */
export interface FindingsOverview {
  count: number;
  from: Int32Array;
  to: Int32Array;
  line: Int32Array;
  /** 0 note, 1 warning, 2 error. */
  severity: Uint8Array;
  /** The first ones, with their texts. */
  first: Finding[];
  /** How many findings have a fix that changes no verdict. */
  unchangingFixes: number;
  /** How much was found, and what was left out. */
  sentences: string[];
}

/** A drawing is readable up to about so many states. */
export const DRAWN_STATES = 48;

/** If the walk of a URL has more, so many are drawn. */
const DRAWN_STATES_OF_WALK = 400;

export type Machine =
  | { kind: "automaton"; automaton: Automaton }
  | { kind: "too-large"; why: string };

/** What a page may be used for. */
export interface RightsAnswer {
  report: RightsReport;
  /** As in {@link Column}. */
  warning: string | null;
}

/** A robots.txt that was built, or every reason why there is none. */
export type Written = { text: string; profiles: ProfileName[]; notes: string[] } | { faults: readonly BuildFault[] };

/** Errors that the page shows as they are: what the reader typed cannot be used. */
export class Refused extends Error {}

export class Answers {
  private readonly files = new Map<ProfileName, Robots>();
  /** The gravest first, those of one severity by their lines. */
  private found: Finding[] = [];
  private foundProfile: ProfileName | null = null;

  constructor(readonly file: FileText) {}

  free(): void {
    for (const robots of this.files.values()) robots.free();
    this.files.clear();
  }

  robots(profile: ProfileName): Robots {
    let robots = this.files.get(profile);
    if (!robots) {
      robots = new Robots(this.file, { profile, spans: "utf16" });
      this.files.set(profile, robots);
    }
    return robots;
  }

  /**
   * The crawler, and what is odd about its names: another crawler was probably meant; or a word that no line of the profile
   * can name, such as `mj12bot` in profile `google`, is taken as given, and no group is for it.
   *
   * @throws RobotsieveError if a name looks like a header or several words, which is a mistake in any profile.
   */
  private crawler(profile: ProfileName, asker: Asker): { crawler: Crawler; warning: string | null } {
    const robots = this.robots(profile);
    switch (asker.kind) {
      case "known":
      case "names": {
        const { names } = asker;
        const crawler = asker.kind === "known" ? { firstOf: names } : { names };
        try {
          robots.policy(names).free();
          const [question = null] = names.flatMap((name) => robots.didYouMean(name) ?? []);
          return { crawler, warning: question };
        } catch (error) {
          const isOdd = error instanceof RobotsieveError && error.code === "invalid-name" && !error.isEvident;
          if (!isOdd) throw error;
          return { crawler, warning: error.message };
        }
      }
      case "header": {
        const crawler = { userAgent: asker.header };
        const { names, names_notes } = robots.explain(crawler, "/");
        return { crawler, warning: names.length > 0 ? null : names_notes.join("; ") };
      }
      case "purpose":
        throw new Refused("choose one crawler");
    }
  }

  /** One column for each asker. */
  table(profile: ProfileName, askers: readonly Asker[], urls: readonly (string | Uint8Array)[]): Column[] {
    return askers.map((asker) => {
      try {
        return asker.kind === "purpose"
          ? this.purposeColumn(profile, ofPurpose(asker.purpose), urls)
          : this.crawlerColumn(profile, asker, urls);
      } catch (error) {
        return { kind: "error", message: refusal(error) };
      }
    });
  }

  private crawlerColumn(profile: ProfileName, asker: Asker, urls: readonly (string | Uint8Array)[]): Column {
    const { crawler, warning } = this.crawler(profile, asker);
    return freed(this.robots(profile).policy(crawler), (policy) => ({
      kind: "crawler",
      verdicts: policy.verdicts(urls),
      group: policy.group[0] ?? null,
      warning,
    }));
  }

  private purposeColumn(
    profile: ProfileName,
    crawlers: readonly KnownCrawler[],
    urls: readonly (string | Uint8Array)[],
  ): Column {
    const disallowed = new Uint16Array(urls.length);
    const invalid = new Uint8Array(urls.length);
    const byGroup = new Map<string, Uint8Array>();
    for (const crawler of crawlers) {
      const verdicts = this.memberVerdicts(profile, crawler, urls, byGroup);
      for (let url = 0; url < urls.length; url++) {
        if (verdicts[url] === DISALLOW) disallowed[url]! += 1;
        else if (verdicts[url] === INVALID) invalid[url] = 1;
      }
    }
    return { kind: "purpose", members: crawlers.map((crawler) => crawler.name), disallowed, invalid };
  }

  /** Crawlers that obey the same lines have the same verdicts. */
  private memberVerdicts(
    profile: ProfileName,
    crawler: KnownCrawler,
    urls: readonly (string | Uint8Array)[],
    byGroup: Map<string, Uint8Array>,
  ): Uint8Array {
    return freed(this.robots(profile).policyOfKnown(crawler.token), (policy) => {
      const key = policy.group.map(({ line }) => line).join();
      const verdicts = byGroup.get(key) ?? policy.verdicts(urls);
      byGroup.set(key, verdicts);
      return verdicts;
    });
  }

  /** Which crawlers of a purpose may fetch a URL. */
  members(profile: ProfileName, asker: Asker & { kind: "purpose" }, url: string): Members {
    const members: Members = { allowed: [], disallowed: [] };
    const byGroup = new Map<string, Uint8Array>();
    for (const crawler of ofPurpose(asker.purpose)) {
      const [verdict] = this.memberVerdicts(profile, crawler, [url], byGroup);
      // That says why.
      if (verdict === INVALID) refusing(() => this.robots(profile).explain("*", url));
      const names = [crawler.token, ...crawler.after];
      members[verdict === DISALLOW ? "disallowed" : "allowed"].push({ name: crawler.name, names });
    }
    return members;
  }

  why(profile: ProfileName, asker: Asker, url: string | Uint8Array): Why {
    const robots = this.robots(profile);
    return refusing(() => {
      const { crawler, warning } = this.crawler(profile, asker);
      const explanation = robots.explain(crawler, url);
      const [first] = explanation.names;
      const known = first && byToken(first.name);
      return {
        explanation, warning, comparison: robots.compareProfiles(crawler, url),
        ignoresStar: known ? robots.noteOfKnown(known.token) : null,
      };
    });
  }

  /** The overview of the findings. {@link findings} has their texts. */
  lint(profile: ProfileName): FindingsOverview {
    const report = this.robots(profile).lint();
    const findings = [...report.findings].sort((a, b) => rank(b) - rank(a));
    this.found = findings;
    this.foundProfile = profile;
    const column = (of: (finding: Finding) => number) => Int32Array.from(findings, of);
    return {
      count: findings.length,
      from: column((finding) => finding.file_span[0]),
      to: column((finding) => finding.file_span[1]),
      line: column((finding) => finding.line),
      severity: Uint8Array.from(findings, rank),
      first: findings.slice(0, FINDINGS_PAGE),
      unchangingFixes: findings.filter((finding) => finding.fix && !finding.fix.changes_verdicts).length,
      sentences: report.sentences.map(({ text }) => text),
    };
  }

  /** Findings by their numbers. */
  findings(profile: ProfileName, numbers: readonly number[]): Finding[] {
    if (this.foundProfile !== profile) this.lint(profile);
    return numbers.flatMap((number) => this.found[number] ?? []);
  }

  /** The file with all fixes that change no verdict and no pace, and how many were applied. */
  fixed(profile: ProfileName): { text: string; applied: number } {
    const fixed = this.robots(profile).fix({ apply: "unchanging" });
    return { text: fixed.text, applied: fixed.report.applied.length };
  }

  /** The file with the known crawlers of some purposes shut out, or crawlers by name, and notes on that. */
  block(profile: ProfileName, whom: Blocked): { text: string; notes: string[] } {
    const { text, notes } = refusing(() => this.robots(profile).block(whom));
    return { text, notes };
  }

  /** What changed from another file to this one. */
  diff(profile: ProfileName, before: Answers): DiffReport {
    return diff(before.robots(profile), this.robots(profile), { profile });
  }

  machine(profile: ProfileName, asker: Asker, url: string | null, maxStates = DRAWN_STATES): Machine {
    return refusing(() =>
      freed(this.robots(profile).policy(this.crawler(profile, asker).crawler), (policy) => {
        const draw = (maxStates: number) => policy.automaton(url === null ? { maxStates } : { url, maxStates });
        let automaton = draw(maxStates);
        if (automaton?.walk?.steps.some((step) => step.state === null)) automaton = draw(DRAWN_STATES_OF_WALK);
        if (automaton) return { kind: "automaton", automaton };
        return { kind: "too-large", why: policy.limitHit ?? "its limits" };
      }),
    );
  }

  /** What the page of a URL may be used for, by this file, the response's header and the page. */
  rights(
    profile: ProfileName,
    asker: Asker,
    url: string,
    { reading, ...sources }: { headers: string; html: string; reading: TagReading },
  ): RightsAnswer {
    return refusing(() => {
      const { crawler, warning } = this.crawler(profile, asker);
      return freed(new RightsReader(crawler, { reading }), (reader) =>
        freed(reader.robots(this.robots(profile)), (robots) => ({ report: reader.report(url, { robots, ...sources }), warning })));
    });
  }

  /** What the known crawlers may read, all in this profile, as in {@link table}. */
  crawlers(profile: ProfileName): ReachReport {
    return this.robots(profile).crawlers();
  }
}

/** The file of what is wanted of crawlers. */
export function built(intentions: Intentions): Written {
  try {
    return buildRobotsTxt(intentions);
  } catch (error) {
    if (error instanceof CannotBuildError) return { faults: error.faults };
    throw error;
  }
}

/** What is said of a file if it is UTF-16. */
export function utf16(bytes: Uint8Array): string | null {
  return freed(new Robots(bytes), (robots) => robots.lint().findings.find(({ name }) => name === "utf-16")?.message ?? null);
}

/** The place of a finding's severity, from notes up. */
const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity);

/** True for an error about what the reader typed or has in the file. Others are the module's: it is full, or has a bug. */
function isMistake(error: unknown): error is RobotsieveError {
  return error instanceof RobotsieveError && (error.code.startsWith("invalid-") || error.code === "cannot-block");
}

/** Turns errors of the engine about what the reader typed into {@link Refused}. */
function refusing<T>(answer: () => T): T {
  try {
    return answer();
  } catch (error) {
    if (isMistake(error)) throw new Refused(error.message);
    throw error;
  }
}

function refusal(error: unknown): string {
  if (error instanceof Refused || isMistake(error)) return error.message;
  throw error;
}
