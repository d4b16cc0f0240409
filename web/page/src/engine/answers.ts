/** Every answer that the page gives. Runs in the workers, and in the tests in Node. */

import {
  type Automaton, type Crawler, type Diff, diff, DISALLOW, type Explanation, type Finding, headerNames, INVALID, type LintReport,
  type ProfileComparison, type ProfileName, Robots, RobotsieveError,
} from "robotsieve";
import type { Asker } from "./asker.js";
import { freed } from "./freed.js";
import { judge, whoIsNamed } from "./judge.js";
import { Known, type KnownCrawler, namesOf } from "./known.js";
import { FINDINGS_PAGE, SEVERITIES } from "./limits.js";
import { named, wrongNames } from "./named.js";
import type { By, ReachTable } from "./reach.js";

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
      /** What is odd about the name or header, if it says whom no group can name. */
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
  explanation: Explanation;
  comparison: ProfileComparison;
  /** A known crawler that ignores the groups for everybody, if no group names it: its name. */
  ignoresStar: string | null;
  /** As in {@link Column}. */
  warning: string | null;
}

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

/** Findings by number: what the editor and the filters need of thousands. The texts are asked for page by page. */
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
  undecided: number;
  leftOut: number;
  silenced: number;
}

/** A drawing is readable up to about so many states. */
export const DRAWN_STATES = 48;

/** If the walk of a URL has more, so many are drawn. */
const DRAWN_STATES_OF_WALK = 400;

export type Machine =
  | { kind: "automaton"; automaton: Automaton }
  | { kind: "too-large"; why: string };

/** Errors that the page shows as they are: what the reader typed cannot be used. */
export class Refused extends Error {}

export class Answers {
  private readonly files = new Map<ProfileName, Robots>();
  private report: LintReport | null = null;
  private reportProfile: ProfileName | null = null;

  constructor(readonly file: FileText, private readonly known: Known) {}

  free(): void {
    for (const robots of this.files.values()) robots.free();
    this.files.clear();
  }

  robots(profile: ProfileName): Robots {
    let robots = this.files.get(profile);
    if (!robots) {
      robots = new Robots(this.file, { profile });
      this.files.set(profile, robots);
    }
    return robots;
  }

  private crawler(profile: ProfileName, asker: Asker): Crawler {
    switch (asker.kind) {
      case "names":
        return named(this.robots(profile), asker.names);
      case "header":
        return { userAgent: asker.header };
      case "purpose":
        throw new Refused("choose one crawler");
    }
  }

  /** One column for each asker. */
  table(profile: ProfileName, askers: readonly Asker[], urls: readonly (string | Uint8Array)[]): Column[] {
    return askers.map((asker) => {
      try {
        return asker.kind === "purpose"
          ? this.purposeColumn(profile, this.known.ofPurpose(asker.purpose), urls)
          : this.crawlerColumn(profile, this.crawler(profile, asker), urls, this.warning(profile, asker));
      } catch (error) {
        return { kind: "error", message: refusal(error) };
      }
    });
  }

  /** What the command warns of. */
  private warning(profile: ProfileName, asker: Asker): string | null {
    switch (asker.kind) {
      case "header":
        return headerNames(asker.header).length > 0 ? null
          : "No crawler is named in this User-Agent header, so the group of * decides.";
      case "names":
        return wrongNames(this.robots(profile), asker.names);
      case "purpose":
        return null;
    }
  }

  private crawlerColumn(
    profile: ProfileName,
    crawler: Crawler,
    urls: readonly (string | Uint8Array)[],
    warning: string | null,
  ): Column {
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
    // Crawlers with the same groups have the same verdicts.
    const byGroups = new Map<string, Uint8Array>();
    const by = whoIsNamed(this.robots(profile), crawlers);
    for (const [number, crawler] of crawlers.entries()) {
      const verdicts = this.memberVerdicts(profile, crawler, by[number]!, urls, byGroups);
      for (let url = 0; url < urls.length; url++) {
        if (verdicts[url] === DISALLOW) disallowed[url]! += 1;
        else if (verdicts[url] === INVALID) invalid[url] = 1;
      }
    }
    return { kind: "purpose", members: crawlers.map((crawler) => crawler.name), disallowed, invalid };
  }

  private memberVerdicts(
    profile: ProfileName,
    crawler: KnownCrawler,
    by: By,
    urls: readonly (string | Uint8Array)[],
    byGroups: Map<string, Uint8Array>,
  ): Uint8Array {
    const robots = this.robots(profile);
    const key = by.kind === "named" ? `named ${by.lines.join()}` : by.kind;
    let verdicts = byGroups.get(key);
    if (!verdicts) {
      const ask = (file: Robots, of: Crawler) => freed(file.policy(of), (policy) => policy.verdicts(urls));
      verdicts =
        by.kind === "ignores-star"
          ? freed(new Robots("", { profile }), (empty) => ask(empty, ["*"]))
          : ask(robots, named(robots, namesOf(crawler)));
      byGroups.set(key, verdicts);
    }
    return verdicts;
  }

  /** Which crawlers of a purpose may fetch a URL. */
  members(profile: ProfileName, asker: Asker & { kind: "purpose" }, url: string): Members {
    const members: Members = { allowed: [], disallowed: [] };
    const byGroups = new Map<string, Uint8Array>();
    const crawlers = this.known.ofPurpose(asker.purpose);
    const by = whoIsNamed(this.robots(profile), crawlers);
    for (const [number, crawler] of crawlers.entries()) {
      const [verdict] = this.memberVerdicts(profile, crawler, by[number]!, [url], byGroups);
      if (verdict === INVALID) throw new Refused(invalidUrl(url));
      members[verdict === DISALLOW ? "disallowed" : "allowed"].push({ name: crawler.name, names: namesOf(crawler) });
    }
    return members;
  }

  why(profile: ProfileName, asker: Asker, url: string | Uint8Array): Why {
    const robots = this.robots(profile);
    return refusing(() => {
      const crawler = this.crawler(profile, asker);
      const explanation = robots.explain(crawler, url);
      const first = explanation.crawler[0];
      const known = first === undefined ? undefined : this.known.byToken(first);
      const ignoresStar = known && !known.star && explanation.selection.choice === "everybody" ? known.name : null;
      return { explanation, comparison: robots.compareProfiles(crawler, url), ignoresStar, warning: this.warning(profile, asker) };
    });
  }

  /** The overview of the findings. {@link findings} has their texts. */
  lint(profile: ProfileName): FindingsOverview {
    const report = this.robots(profile).lint();
    this.report = report;
    this.reportProfile = profile;
    const { findings } = report;
    const column = (of: (finding: Finding) => number) => Int32Array.from(findings, of);
    return {
      count: findings.length,
      from: column((finding) => finding.span.start),
      to: column((finding) => finding.span.end),
      line: column((finding) => finding.line),
      severity: Uint8Array.from(findings, (finding) => SEVERITIES.indexOf(finding.severity)),
      first: findings.slice(0, FINDINGS_PAGE),
      unchangingFixes: findings.filter((finding) => finding.fix && !finding.fix.changesVerdicts).length,
      undecided: report.undecided.length,
      leftOut: report.leftOut.reduce((sum, of) => sum + of.count, 0),
      silenced: report.silenced,
    };
  }

  /** Findings by their numbers. */
  findings(profile: ProfileName, numbers: readonly number[]): Finding[] {
    if (!this.report || this.reportProfile !== profile) this.lint(profile);
    return numbers.flatMap((number) => this.report!.findings[number] ?? []);
  }

  /** The file with all fixes that change no verdict, and how many were applied. */
  fixed(profile: ProfileName): { text: string; applied: number } {
    const fixed = this.robots(profile).fix({ apply: "unchanging" });
    return { text: fixed.text, applied: fixed.applied.length };
  }

  /** What changed from another file to this one. */
  diff(profile: ProfileName, before: Answers): Diff {
    return diff(before.robots(profile), this.robots(profile), { profile });
  }

  machine(profile: ProfileName, asker: Asker, url: string | null, maxStates = DRAWN_STATES): Machine {
    return refusing(() =>
      freed(this.robots(profile).policy(this.crawler(profile, asker)), (policy) => {
        const draw = (maxStates: number) => policy.automaton(url === null ? { maxStates } : { url, maxStates });
        let automaton = draw(maxStates);
        if (automaton?.walk?.steps.some((step) => step.state === null)) automaton = draw(DRAWN_STATES_OF_WALK);
        if (automaton) return { kind: "automaton", automaton };
        return { kind: "too-large", why: policy.limitHit ?? "its limits" };
      }),
    );
  }

  /** What the known crawlers may read. */
  crawlers(profile: ProfileName): ReachTable {
    return judge(this.robots(profile), profile, this.known.crawlers);
  }
}

function invalidUrl(url: string): string {
  return `'${url}' is invalid: a URL is scheme://host/path, or a path that starts with '/'`;
}

/** Turns errors of the engine about what the reader typed into {@link Refused}. */
function refusing<T>(answer: () => T): T {
  try {
    return answer();
  } catch (error) {
    if (error instanceof RobotsieveError && error.code !== "internal") throw new Refused(refusal(error));
    throw error;
  }
}

function refusal(error: unknown): string {
  if (error instanceof RobotsieveError && error.code === "invalid-name" && error.probablyMeant !== null) {
    const message = error.message.replace(/[.\s]+$/, "");
    return message.includes(error.probablyMeant) ? message : `${message}. Did you mean ${error.probablyMeant}?`;
  }
  if (error instanceof RobotsieveError && error.code !== "internal") return error.message;
  if (error instanceof Refused) return error.message;
  throw error;
}
