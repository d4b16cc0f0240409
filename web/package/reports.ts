/** The reports, as data. Generated from docs/report.schema.json: UPDATE_REPORTS=1 cargo test -p robotsieve-tests reports:: */

/** The offset of the first byte, and of the one after the last. */
export type Span = [start: number, end: number];

/** A user-agent line, and what became of it when the crawler's groups were chosen. */
export interface AgentLine {
  /** The line number, from 1. */
  line: number;
  /** The value as written. */
  value: string;
  /** All bytes of `value`, if they are not UTF-8. */
  value_base64?: string;
  /** Where the value is, in bytes of the file. */
  value_span: Span;
  /** The number of the line's group in the file, from 1. */
  group: number;
  /** The crawlers that it names. */
  names: NamedBy;
  /** The product token, if `names` is `token`. */
  token: string | null;
  /** All bytes of `token`, if they are not UTF-8. */
  token_base64?: string;
  /** The index in `names` of the report of the first name that finds the token. */
  found_by: number | null;
  /** Its fate in the selection. */
  standing: Standing;
  /** The same in words, for the first eight lines of each standing that could have applied. */
  label: string | null;
}

/** A fix that was applied. */
export interface AppliedFix {
  /** The number of the kind of finding that it mends. */
  code: string;
  /** The name of the kind. */
  name: string;
  /** The severity of the finding. */
  severity: Severity;
  /** The fault that it mended. */
  message: string;
  /** The line in the file as it was at that time: an earlier fix may have moved it. */
  line: number;
  /** The change that was made: a clause such as `remove the line`. */
  what: string;
  /** The effect of "this" on verdicts: a clause. */
  effect: string;
  /**
   * True if some URLs got another verdict, or if a line about use says something that said
   * nothing.
   */
  changes_verdicts: boolean;
}

/** The crawlers in logs, with what they fetched that a robots.txt forbids: the report `audit`. */
export interface AuditReport {
  /** `robotsieve-report-1`. */
  schema: string;
  /** `audit`. */
  report: string;
  /** The version of robotsieve that made the report. */
  tool_version: string;
  /** The name of the profile, null if it has none. */
  profile: string | null;
  /** The versions of the robots.txt, in the order of time. */
  robots: AuditedFile[];
  /**
   * The logs of which nothing, or not all, could be read: what they have besides is not in the
   * report.
   */
  unread: string[];
  /** The formats in which the logs were read. */
  formats: string[];
  /** All lines but empty ones: `damaged`, `too_long` and `requests` together. */
  lines: number;
  /** The number of lines that are not in the format, or have a time that is none. */
  damaged: number;
  /** The places of the first five damaged lines. */
  first_damaged: DamagedLine[];
  /** The number of lines that are too long to be read. */
  too_long: number;
  /** `judged`, `other_clients`, `without_header`, `without_path` and `other_hosts` together. */
  requests: number;
  /** The number of requests that are for other hosts than those asked for. */
  other_hosts: number;
  /** The number of requests that are for neither a path nor a URL. */
  without_path: number;
  /** The number of requests that have no User-Agent header. */
  without_header: number;
  /** The number of requests that are not made by crawlers. */
  other_clients: number;
  /** The number of requests of crawlers that were judged. */
  judged: number;
  /** Those of `judged` that were made before the first version. */
  before_first: number;
  /** The number of requests of crawlers that are forbidden. */
  forbidden: number;
  /** Some hosts that requests were for, if the logs tell; `…` at the end if there are more. */
  hosts: string[];
  /** The tokens of crawlers whose addresses are known, and that are not in the logs. */
  not_found: string[];
  /**
   * By purpose, those that are not known last; in each the one with the most forbidden requests
   * first.
   */
  crawlers: AuditedCrawler[];
  /** The totals in sentences, and what else is to be said of all crawlers. */
  sentences: Sentence[];
}

/** A crawler in logs. */
export interface AuditedCrawler {
  /** The name as its operator writes it; of one that is not known, its token. */
  name: string;
  /**
   * The product token, null if this stands for all names beyond the first 1,000 that are not
   * known.
   */
  token: string | null;
  /** The purpose, null if it is not known. */
  purpose: Purpose | null;
  /** The heading of the purpose, or `not known`. */
  title: string;
  /** Who runs it, null if it is not known. */
  operator: string | null;
  /** Its operator's word on obeying, null if it is not known. */
  obeys: Obeys | null;
  /** The number of requests that it made. */
  requests: number;
  /** The number of those that are forbidden. */
  forbidden: number;
  /** The forbidden ones in percent of all: `12.5 %`. */
  share: string;
  /** The forbidden ones by the server's answer. */
  forbidden_by_status: StatusCount[];
  /** The time of the first request in UTC, null if the logs have no times. */
  first: string | null;
  /** The time of the last request. */
  last: string | null;
  /** The number of times that it asked for /robots.txt. */
  robots_txt: number;
  /** Requests from the published addresses, null if none are known. */
  verified: VerifiedCount | null;
  /** The rules that it broke, the one broken most first. */
  rules: BrokenRule[];
  /** Forbidden requests by rules beyond the first 1,000. */
  more_rules: number;
  /**
   * The word of its operator or of others, if it broke a rule and is not said to obey them all.
   */
  note: string | null;
}

/** A version of the robots.txt. */
export interface AuditedFile {
  /** The name of the file as the caller gave it. */
  file: string;
  /** The time from which on it was the site's, null if that is the beginning. */
  from: string | null;
  /** The number of requests that it judged. */
  judged: number;
  /** The answer of its URL in the place of a file, such as `HTTP 503`. */
  answer: string | null;
}

/** A rule that was broken. */
export interface BrokenRule {
  /** The file, as an index into `robots`. */
  file: number;
  /** The line of the rule, null if an answer stands for the file. */
  line: number | null;
  /** The rule's value as written, null if `line` is. */
  rule: string | null;
  /** The bytes of `rule` if they are not UTF-8. */
  rule_base64?: string;
  /** The number of requests that it forbids. */
  requests: number;
  /** Some of their paths. */
  examples: ExamplePath[];
}

/** A reason why intentions cannot be built. */
export interface BuildFault {
  /** The place to mend, such as `groups[0].disallow[1]`, numbered from 0; empty for the whole. */
  place: string;
  /** What is wrong, and the way out. */
  message: string;
}

/** A robots.txt built from intentions, or why there is none: the report `build`. */
export interface BuildReport {
  /** `robotsieve-report-1`. */
  schema: string;
  /** `build`. */
  report: string;
  /** The version of robotsieve that made the report. */
  tool_version: string;
  /** The file; null if there is none. */
  text: string | null;
  /** The names of the profiles in which it is proven. */
  profiles: string[];
  /** The caveats, in sentences. */
  notes: string[];
  /** The reasons why there is no file. */
  faults: BuildFault[];
  /**
   * True if all values are fine, but some profile would read the file otherwise than asked for,
   * or an expectation would not hold.
   */
  unproven: boolean;
}

/** A switch that makes a profile's answer differ. */
export interface Cause {
  /** The name of the switch, such as `wildcards`. */
  switch: string;
  /** Its effect in this profile, such as `'*' and '$' are plain characters there`. */
  clause: string;
}

/** The certainty that a word of a header names the crawler, the surest first. */
export type Certainty =
  /** It follows the word `compatible`, as in `Mozilla/5.0 (compatible; FooBot/1.0)`. */
  | "compatible"
  /** It has a version (`FooBot/1.0`, `FooBot 1.0`), or the header begins with it. */
  | "product"
  /** It is a word that stands somewhere else. */
  | "word";

/** A record that only one of the files has. */
export interface ChangedRecord {
  /** Its line in that file, from 1. */
  line: number;
  /** The field's name as written. */
  field: string;
  /** Its bytes in base64, if they are not UTF-8. */
  field_base64?: string;
  /** The value as written. */
  value: string;
  /** Its bytes in base64, if they are not UTF-8. */
  value_base64?: string;
  /** The line with its number. */
  label: string;
}

/** Query parameters that do not change what is served. */
export interface CleanParam {
  /** The names of the parameters. */
  params: string[];
  /** Their bytes in base64, if not all are UTF-8. */
  params_base64?: string[];
  /**
   * The beginning of the paths for which this holds, with `*` as a wildcard. `null`: all paths.
   */
  path: string | null;
  /** Its bytes in base64, if they are not UTF-8. */
  path_base64?: string;
}

/** One question put to every named profile. */
export interface CompareReport {
  /** The version of the form of this document. */
  schema: "robotsieve-report-1";
  /** The kind of this document. */
  report: "compare";
  /** The version of robotsieve. */
  tool_version: string;
  /** The robots.txt, or the store, as it was named. `null` if it has no name. */
  robots: string | null;
  /** All bytes of `robots`, if they are not UTF-8. */
  robots_base64?: string;
  /** The crawler as given: its names, parted by commas, or a whole User-Agent header. */
  agent: string;
  /** All bytes of `agent`, if they are not UTF-8. */
  agent_base64?: string;
  /** The URL as given. */
  url: string;
  /** All bytes of `url`, if they are not UTF-8. */
  url_base64?: string;
  /** True if all profiles give the same verdict. */
  agree: boolean;
  /**
   * The answer of each profile, in the order `rfc9309`, `google`, `google-classic`,
   * `original-1994`.
   */
  explanations: ExplainReport[];
  /**
   * The profiles whose verdict or deciding line is not that of `rfc9309`. Empty if not the same
   * file applies in all of them, since their answers are then not compared.
   */
  differences: ProfileDifference[];
  /** The verdicts, and what makes them differ. */
  sentences: Sentence[];
}

/** The part of a URL that is compared with the rules, and where it comes from. */
export interface ComparedTarget {
  /** Path and query, normalised, from the first `/`. */
  value: string;
  /** All bytes of `value`, if they are not UTF-8. */
  value_base64?: string;
  /** Where it is, in bytes of the URL. */
  url_span: Span;
  /** True if its first `/` is missing from the URL: `https://e.com?x` is compared as `/?x`. */
  slash_implied: boolean;
  /** The changes that normalising made: one entry for each byte or `%XX`. */
  changes: TargetChange[];
  /** The comparison, in words. */
  label: string;
}

/** The changes for crawlers with the same policies. */
export interface CrawlerDiff {
  /**
   * The crawlers, by the tokens of the files or as they were given; `*` is any crawler that no
   * group names.
   */
  crawlers: string[];
  /** Their bytes in base64, if not all are UTF-8. */
  crawlers_base64?: string[];
  /** Their names in one text. */
  label: string;
  /** The result: may they fetch the same as before? */
  result: DiffResult;
  /** The fate of the site as a whole: proven. `null` if none of these is. */
  whole_site: WholeSite | null;
  /** The fate of the site as a whole, or of its home page, in words. */
  headline: string | null;
  /** Paths that were allowed and are no longer. The proven shortest come first. */
  newly_disallowed: Flip[];
  /** Paths that were not allowed and now are. The proven shortest come first. */
  newly_allowed: Flip[];
  /** The number of further pairs of deciding rules that disallow paths now, at least. */
  more_disallowed: number;
  /** The same, in words. */
  more_disallowed_label: string | null;
  /** The number of further pairs of deciding rules that allow paths now, at least. */
  more_allowed: number;
  /** The same, in words. */
  more_allowed_label: string | null;
  /**
   * The number of rules that only one of the files has and that may flip paths too: the budget
   * was used up. Every other such rule decides one of the paths listed or counted, or is proven
   * to flip none.
   */
  unexamined: number;
  /** Why the comparison has no proof. If `null`, a direction without paths has none. */
  unproven: string | null;
  /** The number of paths that were tried, if the result is unknown. */
  sampled: number | null;
  /** Possible further changes, and why they are not known. */
  notes: string[];
}

/** A name of a crawler. */
export interface CrawlerName {
  /** The name. */
  name: string;
  /** All bytes of `name`, if they are not UTF-8. */
  name_base64?: string;
  /** Where it is in a User-Agent header. */
  agent_span: Span | null;
  /** The certainty that it is the crawler's name, if it is from a User-Agent header. */
  certainty: Certainty | null;
  /** Its rank in a User-Agent header, and what became of it; for the first eight. */
  label: string | null;
}

/** The place of a line that is not in the format. */
export interface DamagedLine {
  /** The name of the log. */
  log: string;
  /** The line, from 1. */
  line: number;
}

/** The rule that decides about a path. */
export interface DecidingRule {
  /** The verdict that it gives: `allow` or `disallow`. */
  verdict: Verdict;
  /** Its line, from 1. */
  line: number;
  /** Its value as written. */
  value: string;
  /** Its bytes in base64, if they are not UTF-8. */
  value_base64?: string;
}

/** The changes from one file to another, in meaning: the report `diff`. */
export interface DiffReport {
  /** The URLs that flip, in the order in which they were given. `null` if none were given. */
  urls: UrlFlip[] | null;
  /** The version of the form of this document. */
  schema: "robotsieve-report-1";
  /** The kind of this document. */
  report: "diff";
  /** The version of robotsieve. */
  tool_version: string;
  /** The name of the new file as the caller gave it. */
  robots: string | null;
  /** Its bytes in base64, if they are not UTF-8. */
  robots_base64?: string;
  /** The name of the old file as the caller gave it. */
  old_robots: string | null;
  /** Its bytes in base64, if they are not UTF-8. */
  old_robots_base64?: string;
  /**
   * The name of the profile in which both were read. `null` if it has none, or if there are two.
   */
  profile: string | null;
  /** True if the files differ in their bytes, or a side is no file. */
  text_differs: boolean;
  /** The answer of the old file's URL, if that is no file. */
  old_answer: InsteadOfFile | null;
  /** The answer of the new file's URL, if that is no file. */
  new_answer: InsteadOfFile | null;
  /** The result: do both files say the same to all the crawlers? */
  result: DiffResult;
  /** The changes in what crawlers may fetch, the severest first. */
  crawlers: CrawlerDiff[];
  /** The changes in the other records, such as sitemaps. */
  records: RecordDiff[];
  /** The meaning of the change for known crawlers. `null` if that was not asked. */
  risks: Risks | null;
  /** The number of URLs that flip. `null` if none were given. */
  urls_flipped: number | null;
  /**
   * The answers in the place of a file, the fate of whole sites and home pages, and as the last
   * one the result as a whole.
   */
  sentences: Sentence[];
}

/** The result of a comparison: do two files, or two policies, say the same? */
export type DiffResult =
  /** Proven. */
  | "equal"
  /** Something changed. */
  | "different"
  /** No difference was found, but it is not proven that there is none. */
  | "unknown";

/** A forbidden path. */
export interface ExamplePath {
  /** The first 200 bytes of the path. */
  path: string;
  /** The bytes of `path` if they are not UTF-8. */
  path_base64?: string;
  /** True if the path is longer. */
  cut: boolean;
}

/** The reason for an answer. */
export type ExplainReason =
  /** A rule matches, and none of higher precedence does. */
  | "rule"
  /** Allowed: no group of the file is for this crawler. */
  | "no-group"
  /** Allowed: no rule of the crawler's groups matches, or they have none. */
  | "no-match"
  /** Allowed: the crawler's groups have only rules without a value, which restrict nothing. */
  | "empty-rule"
  /** Allowed: robots.txt itself may always be fetched. */
  | "robots-txt"
  /** No rules apply, as `site` or `answer` says: everything is allowed, or nothing. */
  | "site"
  /** The store does not say what applies. */
  | "unknown-site"
  /** The URL is invalid. */
  | "invalid-url";

/** Why a crawler may or may not fetch a URL. */
export interface ExplainReport {
  /** The version of the form of this document. */
  schema: "robotsieve-report-1";
  /** The kind of this document. */
  report: "explain";
  /** The version of robotsieve. */
  tool_version: string;
  /** The robots.txt, or the store, as it was named. `null` if it has no name. */
  robots: string | null;
  /** All bytes of `robots`, if they are not UTF-8. */
  robots_base64?: string;
  /** The crawler as given: its names, parted by commas, or a whole User-Agent header. */
  agent: string;
  /** All bytes of `agent`, if they are not UTF-8. */
  agent_base64?: string;
  /** True if `agent` is a whole User-Agent header. */
  user_agent: boolean;
  /** The crawler's names, from most to least specific. */
  names: CrawlerName[];
  /** Sentences about the names in a User-Agent header, the first one for all of them. */
  names_notes: string[];
  /** The URL as given. */
  url: string;
  /** All bytes of `url`, if they are not UTF-8. */
  url_base64?: string;
  /** The name of the profile. `null` if it has none. */
  profile: string | null;
  /** The answer. */
  verdict: ExplainVerdict;
  /** The reason for it. */
  reason: ExplainReason;
  /** The line that decides: of a rule, or of the first rule without a value. */
  line: number | null;
  /**
   * A store's knowledge of the URL's site. `null` without a store, or if it does not know the
   * site.
   */
  site: Site | null;
  /** A URL's answer in the place of a robots.txt, such as `HTTP 503`. */
  answer: string | null;
  /**
   * The group that applies, and those that competed for the crawler. `null` if no rules were
   * asked.
   */
  selection: Selection | null;
  /** The part of the URL that is compared with the rules. `null` if no rules were asked. */
  target: ComparedTarget | null;
  /**
   * The number of patterns that match, including any that are not listed. A rule has one, or two
   * in the profile `google` if it allows an `index.htm`.
   */
  match_count: number;
  /** The rules that match, from highest to lowest precedence; at most 256. */
  matches: MatchedRule[];
  /** The line of the rule that decides. The first one of `matches` has it. */
  winner_line: number | null;
  /** The line of the rule that would decide without the winner's line. */
  runner_up_line: number | null;
  /**
   * The verdict of the group's other rules alone: of those on other lines than the winner, or of
   * all if the exception for robots.txt itself decided. `null` if neither decided.
   */
  verdict_otherwise: Verdict | null;
  /** Where the profile's size limit cut the file. `null` if all of it was read. */
  cut: FileCut | null;
  /** The reason in words, and what more there is to say. */
  sentences: Sentence[];
}

/** The answer to the question whether a crawler may fetch a URL. */
export type ExplainVerdict =
  /** It may. */
  | "allow"
  /** It may not. */
  | "disallow"
  /** It is not known what applies to the site. */
  | "unknown"
  /** The URL is none. */
  | "invalid";

/** The paths that are proven to flip with one. */
export type Extent =
  /** Nothing is known of longer paths. */
  | "path"
  /** Every path flips that begins with it. */
  | "from"
  /** Every path flips that begins with `below` and is longer than that. */
  | "below";

/** Where the profile's size limit cut the file, and the answer of the whole file. */
export interface FileCut {
  /** The number of bytes that were read: the limit, cut back to a whole line. */
  bytes_read: number;
  /** The first line that was not read, from 1. */
  line: number;
  /** The limit. */
  limit_bytes: number;
  /** True if the whole file would give another answer: another verdict, or by another line. */
  matters: boolean;
  /** The verdict by the whole file. */
  verdict: Verdict;
  /** The line that decides in the whole file, if one does. */
  winner_line: number | null;
}

/** Something that is wrong with a file, or that has no effect. */
export interface Finding {
  /** The number of the kind of finding, such as `RS403`. Stable. */
  code: string;
  /**
   * The name of the kind, such as `redundant-rule`. Stable; a page of the documentation has it.
   */
  name: string;
  /** The kind in one sentence, with a full stop. */
  title: string;
  /** Its severity in these profiles. */
  severity: Severity;
  /** The fault, in words. */
  message: string;
  /** The line, from 1; 1 if it is about the file as a whole. */
  line: number;
  /** The column in characters at which it begins, from 1. */
  column: number;
  /** The column after its last character on that line. */
  end_column: number;
  /** The bytes of the file that it is about; may be empty. */
  file_span: Span;
  /** Other places that explain it. */
  related: Related[];
  /** Advice, unless there is a fix. */
  help: string | null;
  /** A change that mends it, with its proven effect. */
  fix: Fix | null;
  /** The profiles in which this holds, among those in which the file was read. */
  profiles: string[];
}

/**
 * A change to the file that mends a finding, with what it does to verdicts: proven for every
 * crawler. One that blocks or opens a whole site is never a fix.
 */
export interface Fix {
  /** The change to make: a clause such as `remove the line` or `write '/private/'`. */
  what: string;
  /**
   * The effect of "this" on verdicts, and the profiles: a clause such as `changes no verdict
   * (rfc9309, google)`.
   */
  effect: string;
  /**
   * True if some URLs get another verdict, or if a line about use says something that said
   * nothing.
   */
  changes_verdicts: boolean;
  /** The changes, with their crawlers; empty if no verdict of crawling changes. */
  changes: VerdictChange[];
  /** The profiles in which that is proven. */
  profiles: string[];
  /** The bytes of the file that are replaced; empty if something is inserted. */
  file_span: Span;
  /** The line of the first of them, from 1. */
  line: number;
  /** Its column in characters, from 1. */
  column: number;
  /** The line of the byte after the last one. */
  end_line: number;
  /** Its column. */
  end_column: number;
  /** The bytes in their place; empty if something is removed. */
  replacement: string;
  /** Its bytes in base64, if they are not UTF-8. */
  replacement_base64?: string;
}

/** Fixes that were applied to a file: the report `fix`. The new file is beside it. */
export interface FixReport {
  /** The version of the form of this document. */
  schema: "robotsieve-report-1";
  /** The kind of this document. */
  report: "fix";
  /** The version of robotsieve. */
  tool_version: string;
  /** The name of the file as the caller gave it. */
  robots: string | null;
  /** Its bytes in base64, if they are not UTF-8. */
  robots_base64?: string;
  /** The fixes in the order in which they were applied. */
  applied: AppliedFix[];
  /**
   * The effect of all of them together on verdicts, and the profiles: a clause. `null` if that
   * could not be proven, which does not happen to fixes that change no verdict.
   */
  effect: string | null;
  /** The same one by one; empty if no verdict changes, or if that could not be proven. */
  changes: VerdictChange[];
  /** True if some fixes are left out because their proof would take too long. */
  cut_short: boolean;
  /** The findings in the new file. */
  left: LintReport;
  /** The number of fixes there were, and what they do together. */
  sentences: Sentence[];
}

/** A path whose verdict differs. */
export interface Flip {
  /** Path and query, normalised. */
  path: string;
  /** Its bytes in base64, if they are not UTF-8. */
  path_base64?: string;
  /** True if no shorter path flips in this direction: proven. */
  shortest: boolean;
  /** The other paths that are proven to flip with it. */
  extent: Extent;
  /** The beginning of the paths that flip, if the extent is `below`. */
  below: string | null;
  /** Its bytes in base64, if they are not UTF-8. */
  below_base64?: string;
  /** The paths that flip, in words. */
  label: string;
  /** The rule that decided before, if one did. */
  old: DecidingRule | null;
  /** The old decision, in words. */
  old_label: string;
  /** The rule that decides now, if one does. */
  new: DecidingRule | null;
  /** The new decision, in words. */
  new_label: string;
}

/** Which kind of group applies to a crawler. */
export type GroupChoice =
  /** The groups that name it. */
  | "named"
  /** The groups for everybody (`*`), because no group names it. */
  | "everybody"
  /** No group applies, so everything is allowed. */
  | "none";

/** The last good robots.txt of a site. */
export interface HeldCopy {
  /** The SHA-256 of its bytes, in hexadecimal. */
  sha256: string;
  /** Its size in bytes. */
  bytes: number;
  /** When it was fetched, or last found unchanged. */
  fetched: string;
  /** For how many seconds it is fresh. */
  lifetime_seconds: number;
  /** Until when it is fresh. */
  fresh_until: string;
  /** True if it was longer than the limit, and the rest cut off. */
  is_truncated: boolean;
  /** True if it has nothing but white space. */
  is_blank: boolean;
  /** True if it looks like an HTML page. */
  looks_like_html: boolean;
  /** Its `ETag`. */
  etag?: string;
  /** All bytes of `etag`, if they are not UTF-8. */
  etag_base64?: string;
  /** Where redirects led. */
  final_url?: string;
  /** Its `Last-Modified`. */
  last_modified?: string;
  /** All bytes of `last_modified`, if they are not UTF-8. */
  last_modified_base64?: string;
}

/** The site's main mirror. */
export interface Host {
  /** `http` or `https` as written, if there is one. */
  scheme: string | null;
  /** The host name as written. */
  name: string;
  /** Its bytes in base64, if they are not UTF-8. */
  name_base64?: string;
  /** The port, if there is one. */
  port: number | null;
}

/** A URL's answer in the place of a file. */
export interface InsteadOfFile {
  /** The URL that was asked for. */
  url: string;
  /** `HTTP 503`, or what went wrong; and from where, if redirects led there. */
  answer: string;
  /** The verdict on all paths, for all crawlers. */
  verdict: Verdict;
  /** The consequence of the answer, and its reason: a clause. */
  why: string;
}

/** The kind of record that a field makes. */
export type Kind =
  /** `Sitemap`. */
  | "sitemap"
  /** `Crawl-delay`. */
  | "crawl-delay"
  /** `Request-rate`. */
  | "request-rate"
  /** `Visit-time`. */
  | "visit-time"
  /** `Host`. */
  | "host"
  /** `Clean-param`. */
  | "clean-param"
  /** `License`. */
  | "license"
  /** `Noindex`. */
  | "noindex"
  /** `Content-Signal`. */
  | "content-signal"
  /** `Content-Usage`. */
  | "content-usage"
  /** Any other field. */
  | "unknown";

/** An entry of the known crawlers. */
export interface KnownCrawler {
  /** The name as its operator writes it. */
  name: string;
  /** The product token: how a robots.txt names it. */
  token: string;
  /** Names whose groups it obeys if none names the token, before that of `*`. */
  after: string[];
  /** True if it obeys the group of `*`. */
  star: boolean;
  /** True if the token is in no header: a name for a use of what another crawler fetches. */
  only_in_robots_txt: boolean;
  /** Who runs it. */
  operator: string;
  /** The purpose that matters most to the owner of a site. */
  purpose: Purpose;
  /** Its operator's word on obeying robots.txt. */
  obeys: Obeys;
  /** Who reports that it does not obey robots.txt, where its operator does not say so. */
  reported_by: string | null;
  /** A sentence about it. */
  note: string | null;
  /** An example of its User-Agent header. */
  header: string | null;
  /** The URL where its operator documents it. */
  documentation: string | null;
  /** Where these facts are from. */
  source: string;
  /** The date when they were looked up: `2026-11-22`. */
  date: string;
}

/** All that is known of crawlers: the report `known`. */
export interface KnownReport {
  /** `robotsieve-report-1`. */
  schema: string;
  /** `known`. */
  report: string;
  /** The version of robotsieve that made the report. */
  tool_version: string;
  /** The crawlers, by name. */
  crawlers: KnownCrawler[];
}

/** A record's preference about one category of use. Follows drafts. */
export interface LabelledPreference {
  /** The category as written, such as `train-ai`. */
  label: string;
  /** Its bytes in base64, if they are not UTF-8. */
  label_base64?: string;
  /** The preference; unknown if the draft does not define the label or the value. */
  preference: Ruling;
}

/** Findings of a code that are left out. */
export interface LeftOut {
  /** The number of the kind of finding. */
  code: string;
  /** The number that are left out, in the profile that has the most. */
  count: number;
}

/** The address of a licence. */
export interface License {
  /** True if it has a scheme and a host, as RSL demands. */
  absolute: boolean;
}

/** The findings in a file: the report `lint`. */
export interface LintReport {
  /** The version of the form of this document. */
  schema: "robotsieve-report-1";
  /** The kind of this document. */
  report: "lint";
  /** The version of robotsieve. */
  tool_version: string;
  /** The name of the file as the caller gave it. */
  robots: string | null;
  /** Its bytes in base64, if they are not UTF-8. */
  robots_base64?: string;
  /** The names of the profiles in which the file was read. */
  profiles: string[];
  /** The findings, by line and then by code. */
  findings: Finding[];
  /**
   * The lines of rules for which the budget ran out before it was known whether they have an
   * effect, ascending.
   */
  undecided: number[];
  /** The codes of which findings are left out: those after the first 10,000. */
  left_out: LeftOut[];
  /** The number of findings that comments in the file silenced. */
  silenced: number;
  /** The number of findings, and what was left out. */
  sentences: Sentence[];
}

/** A rule that matches the target. */
export interface MatchedRule {
  /** The verdict that it gives: `allow` or `disallow`. */
  verdict: Verdict;
  /** Its line number, from 1. */
  line: number;
  /** Where the line is, in bytes of the file, without its line end. */
  line_span: Span;
  /** Its value as written. */
  value: string;
  /** All bytes of `value`, if they are not UTF-8. */
  value_base64?: string;
  /** Where the value is, in bytes of the file. */
  value_span: Span;
  /**
   * The text that is compared with the target: the value, normalised, without stars that change
   * nothing and without a final `$`.
   */
  pattern: string;
  /** All bytes of `pattern`, if they are not UTF-8. */
  pattern_base64?: string;
  /** True if the target must end where the pattern does. */
  anchored: boolean;
  /**
   * The highest one decides, and among equals Allow. In most profiles it is the length of the
   * normalised value in bytes.
   */
  precedence: number;
  /** The precedence in words. */
  precedence_note: string;
  /**
   * The parts of the value, each with the part of the target that it matches, in order and
   * without gaps. A star matches as few bytes as possible; one at the end matches the rest.
   */
  pieces: Piece[];
  /** All that the rule matches, in bytes of the URL. */
  url_span: Span;
  /** Its fate, for the first eight lines. */
  label: string | null;
}

/** The crawlers that a user-agent line names. */
export type NamedBy =
  /** Every crawler that no other group names. */
  | "everybody"
  /** The crawlers whose names find its product token. */
  | "token"
  /** None: the value has no product token. */
  | "nobody";

/** An operator's word on obeying robots.txt. */
export type Obeys =
  /** It does. */
  | "yes"
  /** It does not. */
  | "no"
  /** In part, or some of its crawlers. */
  | "partly"
  /** Nobody who wrote the entry knows. */
  | "unknown";

/** An address that is none of those that an operator publishes. */
export interface OtherAddress {
  /** The address. */
  address: string;
  /** The number of requests. */
  requests: number;
  /** The number of those that are forbidden. */
  forbidden: number;
}

/** A site of URLs that were not judged. */
export interface OtherSite {
  /** The origin. */
  site: string;
  /** The number of URLs it has. */
  urls: number;
}

/** A part of a rule, and what it matches. */
export interface Piece {
  /** The kind of part. */
  kind: PieceKind;
  /**
   * Where it is, in bytes of the file. Empty for a `/` that the profile assumes and the file
   * does not have.
   */
  file_span: Span;
  /** The part that it matches, in bytes of the target. */
  target_span: Span;
  /** The part that it matches, in bytes of the URL. */
  url_span: Span;
  /** The text that a star of the deciding rule matches, if that has at most four. */
  label: string | null;
}

/** The kind of a `Piece`. */
export type PieceKind =
  /** Bytes that match themselves, once normalised. */
  | "literal"
  /** One or more stars in a row, which match any bytes. */
  | "star"
  /** The `$` that matches the end of the target. */
  | "end";

/** The preferences about the use of content. Follows drafts. */
export interface Preferences {
  /** The pattern of the paths for which this holds. `null` if there is none. */
  path: string | null;
  /** Its bytes in base64, if they are not UTF-8. */
  path_base64?: string;
  /** The preference about each category. */
  labels: LabelledPreference[];
  /** The most that any use may be, by `use=` of `content-signal`. */
  use: UseCeiling | null;
}

/** Why a profile's answer is not that of `rfc9309`. */
export interface ProfileDifference {
  /** The name of the profile. */
  profile: string;
  /** True if the verdict differs. If not, another line decides. */
  of_verdict: boolean;
  /** True if the causes make the difference only together. If not, each does alone. */
  together: boolean;
  /**
   * The switches that make the difference: set in `rfc9309` as this profile has them, they give
   * its answer.
   */
  causes: Cause[];
}

/** The purpose that a crawler reads for. */
export type Purpose =
  /** The index of a search engine. */
  | "search"
  /** Training of AI models. */
  | "ai-training"
  /** What AI assistants read to answer, and their indexes. */
  | "ai-assistants"
  /** Keeping pages as they were. */
  | "archive"
  /** Link indexes and audits for marketing. */
  | "seo"
  /** Advertising. */
  | "ads"
  /** Previews of links that people post. */
  | "link-preview"
  /** Availability, security and measurement. */
  | "monitoring"
  /** Feed readers, research, tools and data brokers. */
  | "other";

/** The groups that a crawler obeys. */
export type ReachBy =
  /** Those that name it. */
  | "named"
  /** Those of `*`. */
  | "everybody"
  /** None is for it. */
  | "none"
  /** None names it, and it ignores those of `*`. */
  | "ignores-star"
  /** There is no file: what its URL answered decides. */
  | "answer";

/**
 * A known crawler, and what decides about it. The command's `crawlers --list` has all that is
 * known of it.
 */
export interface ReachCrawler {
  /** The name as its operator writes it. */
  name: string;
  /** The product token: how a robots.txt names it. */
  token: string;
  /** Who runs it. */
  operator: string;
  /** The purpose that matters most to the owner of a site. */
  purpose: Purpose;
  /** Its operator's word on obeying robots.txt. */
  obeys: Obeys;
  /** Its policy, as an index into `policies`. */
  policy: number;
  /** The groups that it obeys. */
  by: ReachBy;
  /** The lines that name it, if `by` is `named`. */
  lines: number[];
}

/** A path, with the rule that decides about it. */
export interface ReachPath {
  /** The line of the rule, from 1; null if no rule decides. */
  line: number | null;
  /** The rule's value as written; null if no rule decides. */
  rule: string | null;
  /** The bytes of `rule` if they are not UTF-8. */
  rule_base64?: string;
  /** The path, with its query if it has one. */
  path: string;
  /** The bytes of `path` if they are not UTF-8. */
  path_base64?: string;
  /** True if no shorter path shows it; proven. */
  shortest: boolean;
  /**
   * The other paths with the same verdict: none that is known (`path`), all that begin with the
   * path (`from`), or all that begin with `below` and are longer.
   */
  extent: string;
  /** The beginning of the paths, if `extent` is `below`. */
  below: string | null;
  /** The bytes of `below` if they are not UTF-8. */
  below_base64?: string;
}

/** A policy of some crawlers. */
export interface ReachPolicy {
  /** The extent of the site that may be read. */
  reads: Reads;
  /** The part that may be read, in words: `all but /private/ (line 13)`. */
  text: string;
  /** A path for each rule that forbids something, in the order of the file. */
  forbidden: ReachPath[];
  /**
   * A path for each rule that allows something although all else were forbidden; or for no rule.
   */
  allowed: ReachPath[];
  /** The number of further rules that forbid something, at least. */
  more_forbidden: number;
  /** The number of further rules that allow something, at least. */
  more_allowed: number;
  /** Why there may be rules that were not found. */
  unproven: string | null;
  /** The verdicts on `pages`, in their order. */
  verdicts: Verdict[];
  /** The verdicts on the URLs of the sitemap, if one was given. */
  sitemap: TallyReport | null;
  /** Those verdicts in words: `7 of 10; forbidden by line 5 Disallow: /search (3)`. */
  sitemap_text: string | null;
}

/** The crawlers of a purpose, by what they may read. */
export interface ReachPurpose {
  /** The purpose. */
  purpose: Purpose;
  /** A heading: `AI training`. */
  title: string;
  /** The number of crawlers of this purpose there are. */
  crawlers: number;
  /** The number of those that may read nothing, or nothing but robots.txt. */
  shut_out: number;
  /** The number that may read a part of the site. */
  partly: number;
  /** The number that may read everything. */
  let_in: number;
  /** Of how many neither is proven. */
  unproven: number;
  /** The number that may read how much of the sitemap, if one was given. */
  sitemap: SitemapCounts | null;
  /** All counts: `3 of 32 shut out, 28 partly, 1 let in: Foo`. */
  summary: string;
  /** The crawlers that may read the same, those that may read least first. */
  rows: ReachRow[];
}

/** The parts of a site that a robots.txt lets the known crawlers read: the report `crawlers`. */
export interface ReachReport {
  /** `robotsieve-report-1`. */
  schema: string;
  /** `crawlers`. */
  report: string;
  /** The version of robotsieve that made the report. */
  tool_version: string;
  /** The name of the file as the caller gave it. */
  robots: string | null;
  /** The bytes of `robots` if they are not UTF-8. */
  robots_base64?: string;
  /** The name of the profile, null if it has none. */
  profile: string | null;
  /** The answer of the file's URL in the place of a file, such as `HTTP 503`. */
  answer: string | null;
  /**
   * The pages of the verdicts: the URLs asked for, or `/` and paths on which the crawlers
   * differ.
   */
  pages: string[];
  /** The bytes of `pages` if some are not UTF-8. */
  pages_base64?: string[];
  /** The purposes that some crawler has. */
  purposes: ReachPurpose[];
  /** The different policies of the crawlers. */
  policies: ReachPolicy[];
  /** The crawlers, by name. */
  crawlers: ReachCrawler[];
  /** The URLs of the sitemap that were judged, if one was given. */
  sitemap: SitemapUrls | null;
  /** Notes on those crawlers whose operators do not say that they obey. */
  notes: string[];
  /** All of it in sentences. */
  sentences: Sentence[];
}

/** Crawlers of a purpose that may read the same. */
export interface ReachRow {
  /**
   * The policy of the first of them, as an index into `policies`. The others' may name other
   * rules with the same effect, if that is to forbid all or nothing.
   */
  policy: number;
  /** The crawlers, as indexes into the report's `crawlers`. */
  crawlers: number[];
  /**
   * Who they are and why, those that people look for first: `Googlebot (line 5)`, `bingbot,
   * GPTBot (by the group of *)`.
   */
  who: string[];
}

/** The extent of a site that some crawlers may read. */
export type Reads =
  /** Nothing, or nothing but robots.txt; proven. */
  | "nothing"
  /** Some path is forbidden and some other path is allowed. */
  | "partly"
  /** Neither `nothing` nor `everything` is proven, nor that it is not so. */
  | "unproven"
  /** Everything; proven. */
  | "everything";

/**
 * The changes in the records of one kind, for some crawlers. They are compared by what they say.
 */
export interface RecordDiff {
  /** The crawlers. `null` for records of no group. */
  crawlers: string[] | null;
  /** Their bytes in base64, if not all are UTF-8. */
  crawlers_base64?: string[];
  /** `for` their names, or `of no group`. */
  label: string;
  /** The kind of record. */
  kind: Kind;
  /** The records of the old file alone. */
  removed: ChangedRecord[];
  /** The records of the new file alone. */
  added: ChangedRecord[];
  /** The number of further ones that were removed. */
  more_removed: number;
  /** The number of further ones that were added. */
  more_added: number;
}

/** Whom records are for. */
export interface RecordScope {
  /** The whole file, a group, or nobody. */
  scope: ScopeKind;
  /** The number of the group, from 0. `null` if it is not one. */
  group: number | null;
  /** The product tokens of the group. */
  crawlers: string[] | null;
  /** Their bytes in base64, if not all are UTF-8. */
  crawlers_base64?: string[];
  /** The same in words, such as `for GPTBot`. */
  label: string;
  /** Why the group is for all of these crawlers, if it goes on where it seems to end. */
  notes: string[];
}

/** Everything in a file that is neither a user-agent line nor a rule: the report `records`. */
export interface RecordsReport {
  /** The version of the form of this document. */
  schema: "robotsieve-report-1";
  /** The kind of this document. */
  report: "records";
  /** The version of robotsieve. */
  tool_version: string;
  /** The name of the file as the caller gave it. */
  robots: string | null;
  /** Its bytes in base64, if they are not UTF-8. */
  robots_base64?: string;
  /** The name of the profile. `null` if it has none. */
  profile: string | null;
  /**
   * Whom the records are for, and which have some: the whole file first, then the groups in
   * their order, then what is outside all groups.
   */
  scopes: RecordScope[];
  /** The records, in the order of the file. */
  records: TypedRecord[];
  /** The sentences about the file as a whole. */
  sentences: Sentence[];
}

/** A place that explains a finding. */
export interface Related {
  /** The line, from 1. */
  line: number;
  /** The column in characters at which it begins, from 1. */
  column: number;
  /** The column after its last character on that line. */
  end_column: number;
  /** The bytes of the file. */
  file_span: Span;
  /** Its part in the finding; may be empty. */
  message: string;
}

/** A known crawler. */
export interface RiskCrawler {
  /** The product token. */
  token: string;
  /** Who runs it. */
  operator: string;
  /** Its purpose. */
  purpose: RiskPurpose;
}

/** A purpose of known crawlers. */
export interface RiskPurpose {
  /** Its name: `ai-training`. */
  name: string;
  /** A heading: `AI training`. */
  title: string;
}

/** The meaning of a change for known crawlers. */
export interface Risks {
  /** The purposes whose crawlers lose or gain the whole site, in the order of the severity. */
  sites: SiteRisk[];
  /** The crawlers for which some paths change. */
  some: RiskCrawler[];
  /** The same in words, without their names. `null` if there are none. */
  some_label: string | null;
  /** The purposes for which nothing changes, which is proven for each of their crawlers. */
  same: RiskPurpose[];
}

/** What is known of a use: allowed, disallowed, or nothing. Silence is no permission. */
export type Ruling =
  /** Some statement allows it, and none disallows it. */
  | "allow"
  /** Some statement disallows it. */
  | "disallow"
  /** No statement is about it. */
  | "unknown";

/** Where a record belongs. */
export type ScopeKind =
  /** To the whole file. */
  | "file"
  /** To a group. */
  | "group"
  /** To no group, although its kind does not apply to the whole file. */
  | "outside";

/** The group that applies to a crawler. */
export interface Selection {
  /** The kind of group that applies. */
  choice: GroupChoice;
  /**
   * The indices in `names` of those that the groups are for: one, or several where the groups of
   * several names are merged. Empty if no group names the crawler.
   */
  decided_by: number[];
  /** The number of rules in the crawler's groups, those without a value not counted. */
  rule_count: number;
  /** All user-agent lines of the file, in order. */
  lines: AgentLine[];
  /** The choice in words. */
  sentences: Sentence[];
  /** About lines that join a group which seems to end, and about those without a label. */
  notes: string[];
}

/** A sentence of a report. */
export interface Sentence {
  /** Without a full stop, and with a small letter first unless a name begins it. */
  text: string;
  /** The line of the file that it is about, if it is about one. */
  line: number | null;
}

/**
 * The severity of a finding.
 *
 * These three are all there will be: SARIF and GitHub's annotations have the same ones. With the
 * feature `serde` a severity is its [name](Severity::as_str).
 */
export type Severity =
  /** Nothing is lost, but the line does not say what it seems to say, or says nothing. */
  | "note"
  /** Some crawlers probably read it differently from what was meant. */
  | "warning"
  /** At least one rule is lost. */
  | "error";

/**
 * A store's knowledge of a URL's site, and what follows from that in a profile. The members are
 * those of `docs/fetch.schema.json`, where a member without a value is left out. Times are in
 * UTC, as RFC 3339 has them.
 */
export interface Site {
  /** Scheme, host and port, normalised. */
  origin: string;
  /** The state of the site: `parsed`, `empty`, `html`, `truncated`, `absent` or `unreachable`. */
  condition: string;
  /** The meaning of the last attempt: `present`, `absent` or `unreachable`. */
  outcome: string;
  /** When the last attempt ended. */
  attempted: string;
  /** The number of attempts that have failed in a row. */
  failures: number;
  /** The policy that applies: `rules`, `allow all` or `disallow all`. */
  holds: string;
  /** Why that policy applies. */
  why: string;
  /** Why there is no robots.txt. */
  cause?: string;
  /** The last good robots.txt, if there is one. */
  copy?: HeldCopy;
  /** True if that time is over. The policy is still used until the site is asked again. */
  expired?: boolean;
  /** From when on the site should be asked again; left out if never. */
  next_attempt?: string;
  /** The same in sentences. */
  notes?: string[];
  /** Before this time the site wants no further request. */
  retry_after?: string;
  /** The HTTP status that `cause` is about. */
  status?: number;
  /** Since when it has been unreachable. */
  unreachable_since?: string;
  /** Until when it applies; left out if for ever. */
  until?: string;
}

/** Crawlers of a purpose that lose or gain the whole site. */
export interface SiteRisk {
  /** The purpose. */
  purpose: RiskPurpose;
  /** The fate of the site as a whole. */
  whole_site: WholeSite;
  /** The same in words, with the purpose. */
  headline: string;
  /** The headline with how many crawlers of the purpose it concerns. */
  label: string;
  /** These crawlers. */
  crawlers: RiskCrawler[];
  /** The number of known crawlers that the purpose has. */
  count: number;
}

/** The location of a sitemap. */
export interface Sitemap {
  /** True if it has a scheme and a host, as sitemaps.org asks for. */
  absolute: boolean;
  /**
   * The location resolved against the URL of the file. `null` if that is not known, or if it
   * cannot be resolved.
   */
  url: string | null;
}

/** The number of crawlers of a purpose that may read how much of a sitemap. */
export interface SitemapCounts {
  /** The number that may read none of its URLs. */
  none: number;
  /** The number that may read a part. */
  part: number;
  /** The number that may read all. */
  all: number;
}

/** The URLs of sitemaps: those of the site are judged, others are counted. */
export interface SitemapUrls {
  /** The site whose robots.txt it is: an origin, null if no URL has one. */
  site: string | null;
  /** The way the site was found: `option`, `robots`, `sitemap` or `first-url`. */
  site_by: string | null;
  /** The number of all URLs. */
  urls: number;
  /** The number of those that were judged. */
  judged: number;
  /** The first 100 other sites, the most numerous first. */
  other_sites: OtherSite[];
  /** The number of URLs that are of other sites. */
  of_other_sites: number;
  /** The number that have no host, or none that is clear. */
  invalid: number;
  /** The sentences about the URLs. */
  sentences: Sentence[];
}

/** What became of a user-agent line when a crawler's groups were chosen. */
export type Standing =
  /** Its group applies, because of this line. */
  | "chosen"
  /** Its group applies, because of another of its lines. */
  | "in-chosen-group"
  /**
   * It names other crawlers, or none, or it is found only by a name after the 64th, which are
   * not compared.
   */
  | "unrelated"
  /** It is for everybody, but another group names the crawler. */
  | "everybody-else"
  /** It names the crawler, but an earlier one of the crawler's names has a group. */
  | "later-name"
  /** Its token is a prefix of the crawler's name, but a longer token is too. */
  | "shorter-token"
  /** It names the crawler, but an earlier line does too, and only the first one counts. */
  | "further-down";

/** The number of requests to make, and the time for them. */
export interface StatedRate {
  /** The number of requests. */
  requests: number;
  /** The seconds in which to make them. */
  seconds: number;
  /** The time of day for which this holds. `null`: all day. */
  window: VisitTime | null;
}

/** Forbidden requests with the same kind of answer. */
export interface StatusCount {
  /** `2xx`, `3xx` and so on, or `unknown`. */
  status: string;
  /** The number of requests. */
  requests: number;
}

/** Counts of verdicts on many URLs. */
export interface TallyReport {
  /** The number of URLs that are allowed. */
  allowed: number;
  /** The number of URLs that are disallowed. */
  disallowed: number;
  /** The deciding rules and reasons, the most frequent first. */
  by: TallyRule[];
}

/** A rule or reason that decides about some of many URLs. */
export interface TallyRule {
  /** The line of the rule that decides, from 1; null if no rule does. */
  line: number | null;
  /** The number of URLs that it decides about. */
  urls: number;
  /** The answer in the place of a file, which decides: `HTTP 503`. */
  answer: string | null;
  /** The rule's verdict; null if it is empty, or if no rule decides. */
  verdict: Verdict | null;
  /** The rule's value as written; null if `verdict` is. */
  rule: string | null;
  /** The bytes of `rule` if they are not UTF-8. */
  rule_base64?: string;
  /** Some of these URLs. */
  examples: string[];
  /** The bytes of `examples` if some are not UTF-8. */
  examples_base64?: string[];
}

/** A byte or `%XX` of a URL that normalising changed. */
export interface TargetChange {
  /** The bytes that changed, in the URL. */
  url_span: Span;
  /** The bytes that they became, in the target. */
  target_span: Span;
}

/** Crawlers with the same rules that do not get the verdict that is expected. */
export interface TestFailure {
  /** The name of the profile. */
  profile: string;
  /** The verdict that they get. */
  verdict: Verdict;
  /** Their names. */
  crawlers: string[];
  /** The bytes of `crawlers` if some are not UTF-8. */
  crawlers_base64?: string[];
  /** Why they get it: as in explanations, or `site` if an answer decides; null for a sitemap. */
  reason: string | null;
  /** The rule that decides, if one does. */
  rule: TestRule | null;
  /** The counts by rule, if the expectation is about a sitemap. */
  sitemap: TallyReport | null;
}

/** Expectations of a robots.txt, and whether they hold: the report `test`. */
export interface TestReport {
  /** `robotsieve-report-1`. */
  schema: string;
  /** `test`. */
  report: string;
  /** The version of robotsieve that made the report. */
  tool_version: string;
  /** The name of the robots.txt as the caller gave it. */
  robots: string;
  /** The answer of its URL in the place of a file, such as `HTTP 503`. */
  answer: string | null;
  /** The names of the profiles in which expectations must hold. */
  profiles: string[];
  /** The URLs of the sitemap that were judged, if one was given. */
  sitemap: SitemapUrls | null;
  /** The expectations, in order. */
  results: TestResult[];
  /** The number of expectations there are. */
  expectations: number;
  /** The number of those that do not hold. */
  failed: number;
  /** The numbers of those there are and of those that do not hold, in a sentence. */
  sentences: Sentence[];
}

/** An expectation. */
export interface TestResult {
  /** The name of the file that it is in. */
  file: string;
  /** Its line there, from 1. */
  line: number;
  /** The verdict that is expected. */
  expected: Verdict;
  /** The crawlers, as the line names them. */
  who: string;
  /** The bytes of `who` if they are not UTF-8. */
  who_base64?: string;
  /** The URL, as the line has it. */
  url: string;
  /** The bytes of `url` if they are not UTF-8. */
  url_base64?: string;
  /** True if it holds for every crawler in every profile. */
  holds: boolean;
  /**
   * The expectation that does not hold, and why the first crawler gets its verdict in the first
   * profile.
   */
  message: string | null;
  /** The line of the rule that the message names. */
  rule_line: number | null;
  /** The crawlers with the same rules that get the other verdict, for each profile. */
  failures: TestFailure[];
}

/** A rule that decides. */
export interface TestRule {
  /** Its verdict. */
  verdict: Verdict;
  /** Its line, from 1. */
  line: number;
  /** Its value as written. */
  rule: string;
  /** The bytes of `rule` if they are not UTF-8. */
  rule_base64?: string;
}

/** A record that is neither a user-agent line nor a rule. */
export interface TypedRecord {
  /** Its line, from 1. */
  line: number;
  /**
   * Its kind, which says which of the members from `sitemap` on has the value. Those of
   * `noindex` and of unknown records have none but `value`.
   */
  kind: Kind;
  /** The field's name as written. */
  field: string;
  /** Its bytes in base64, if they are not UTF-8. */
  field_base64?: string;
  /** The value as written. */
  value: string;
  /** Its bytes in base64, if they are not UTF-8. */
  value_base64?: string;
  /** Where the record belongs. */
  scope: ScopeKind;
  /** The number of its group, from 0. */
  group: number | null;
  /** The fault of the value. */
  error: string | null;
  /** The meaning of the value, or its fault. */
  note: string | null;
  /** A sitemap; the value is its location. */
  sitemap: Sitemap | null;
  /** The milliseconds to wait between two requests, rounded up; 9,007,199,254,740,991 at most. */
  crawl_delay_ms: number | null;
  /** The number of requests to make, and the time for them. */
  request_rate: StatedRate | null;
  /** The time of day to visit. */
  visit_time: VisitTime | null;
  /** The site's main mirror. */
  host: Host | null;
  /** Query parameters that do not change what is served. */
  clean_param: CleanParam | null;
  /** A licence; the value is its address. */
  license: License | null;
  /**
   * The preferences about the use of content: of `content-signal` and `content-usage`, which are
   * drafts.
   */
  preferences: Preferences | null;
}

/** A URL whose verdict differs for some crawlers. */
export interface UrlFlip {
  /** The URL, or path, as it was given. */
  url: string;
  /** Its bytes in base64, if they are not UTF-8. */
  url_base64?: string;
  /** The verdict now. */
  new: Verdict;
  /** The crawlers. */
  crawlers: string[];
  /** Their bytes in base64, if not all are UTF-8. */
  crawlers_base64?: string[];
  /** Their names in one text. */
  label: string;
}

/**
 * The most that a site lets a use be, by `use=` of Content Signals: of several the lowest
 * counts.
 *
 * It is reported and changes no ruling: Cloudflare calls it a test.
 */
export type UseCeiling =
  /** Interact, keep nothing. */
  | "immediate"
  /** Index, excerpt, link. */
  | "reference"
  /** Summarise, reproduce. */
  | "full";

/**
 * Whether robots.txt lets a crawler fetch a URL.
 *
 * Not `#[non_exhaustive]`: a verdict is one of these two and stays so. An invalid URL has no
 * verdict but an error, `InvalidUrl`(crate::InvalidUrl).
 *
 * With the feature `serde` it is written as `"allow"` or `"disallow"`.
 */
export type Verdict =
  /** It may fetch the URL. */
  | "allow"
  /** It may not fetch the URL. */
  | "disallow";

/** The changes by a fix for some crawlers in some profiles. */
export interface VerdictChange {
  /** The profiles in which this holds. */
  profiles: string[];
  /** The crawlers, by the tokens of the file; `*` is any crawler that no group names. */
  crawlers: string[];
  /** Their bytes in base64, if not all are UTF-8. */
  crawlers_base64?: string[];
  /** Paths that become disallowed, the shortest first; three at most. */
  newly_disallowed: string[];
  /** Their bytes in base64, if not all are UTF-8. */
  newly_disallowed_base64?: string[];
  /** Paths that become allowed, the shortest first; three at most. */
  newly_allowed: string[];
  /** Their bytes in base64, if not all are UTF-8. */
  newly_allowed_base64?: string[];
}

/** Requests from the published addresses of a crawler. */
export interface VerifiedCount {
  /** The number of requests. */
  requests: number;
  /** The number of those that are forbidden. */
  forbidden: number;
  /** The first 100 other addresses that sent its name, those with the most requests first. */
  others: OtherAddress[];
  /** The number of requests from further addresses, and from unknown ones. */
  more_others: number;
}

/** A time of day in UTC, which may span midnight. */
export interface VisitTime {
  /** The minute after midnight when it begins. */
  from_minute: number;
  /** The minute after midnight when it ends, which is not in it; 1440 at most. */
  to_minute: number;
}

/**
 * What happened to the site as a whole, but for `/robots.txt` where the profile always allows
 * that. Proven.
 */
export type WholeSite =
  /** No path is allowed any more. */
  | "closed"
  /** No path was allowed, and now all are. */
  | "opened"
  /** No path was allowed, and now some are. */
  | "partly-opened";
