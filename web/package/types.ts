/**
 * What the package takes and returns, as data.
 *
 * **Text and bytes.** A robots.txt and a URL are bytes. A string stands for its UTF-8; a lone surrogate stands for
 * U+FFFD, as everywhere on the web (`USVString`). What comes back as a string was decoded like
 * `new TextDecoder().decode(bytes)`: bytes that are not UTF-8 become U+FFFD.
 *
 * **Positions.** Each {@link Span} has both: offsets into the JavaScript string (UTF-16 code units, what
 * `String.prototype.slice`, CodeMirror and Monaco count) and offsets in bytes. Lines are counted from 1.
 *
 * **`null`** means that there is none. No property is ever missing.
 *
 * **Options** that are `null` or `undefined` are as if not given. An option of another name throws a `TypeError`.
 */

/**
 * A reading of the protocol.
 *
 * - `rfc9309`: RFC 9309, the default.
 * - `google`: the code of google/robotstxt, byte for byte, with its leniencies.
 * - `google-classic`: Google's written specification from before the RFC.
 * - `original-1994`: the standard of 1994, without wildcards and without `Allow`.
 */
export type ProfileName = "rfc9309" | "google" | "google-classic" | "original-1994";

/** How a file is read. */
export interface RobotsOptions {
  /** Default: `rfc9309`. */
  profile?: ProfileName;
}

/** Text, or the bytes of a text. */
export type Text = string | Uint8Array;

/**
 * Who asks: the crawler's name (its *product token*, such as `GPTBot`), several names from most to least specific
 * (`["Googlebot-Image", "Googlebot"]`), or the whole `User-Agent` header that it sends.
 *
 * `"*"` and `""` stand for a crawler that no group names.
 */
export type Crawler = string | readonly string[] | { readonly userAgent: Text };

export type Verdict = "allow" | "disallow";

/**
 * A part of a text: of {@link Robots.text} for places in the file, of the URL as it was given for places in a URL.
 */
export interface Span {
  /** The first UTF-16 code unit. */
  start: number;
  /** One after the last UTF-16 code unit. */
  end: number;
  /** The first byte. */
  startByte: number;
  /** One after the last byte. */
  endByte: number;
}

/**
 * Why the verdict is what it is.
 *
 * - `rule`: a rule matches, and none of higher precedence does.
 * - `no-group`: allowed, no group of the file is for this crawler.
 * - `no-match`: allowed, no rule of the crawler's groups matches.
 * - `empty-rule`: allowed, the groups have only rules with an empty value, which restrict nothing.
 * - `robots-txt`: allowed, `/robots.txt` itself may always be fetched.
 */
export type Reason = "rule" | "no-group" | "no-match" | "empty-rule" | "robots-txt";

/** An `Allow` or `Disallow` line with a value. */
export interface Rule {
  verdict: Verdict;
  /** From 1. */
  line: number;
  /** The value as written, without the comment and the white space around it. */
  value: string;
  /** Of several rules that match, the one with the highest precedence decides; of equal ones `allow`. */
  precedence: number;
  /** What is compared with URLs: normalised, without stars that change nothing and without the `$` of an anchored rule. */
  pattern: string;
  /** Whether the URL must end where the pattern ends, because the rule ends in `$`. */
  anchored: boolean;
}

/** A rule, and where it is in the file. */
export interface PlacedRule extends Rule {
  /** The whole line without its line end. */
  lineSpan: Span;
  /** Its value. */
  valueSpan: Span;
}

/** A verdict with the reason for it. */
export interface Decision {
  verdict: Verdict;
  /** Whether the verdict is `allow`. */
  allowed: boolean;
  reason: Reason;
  /** The line that decided, from 1: of a rule, or of the first rule with an empty value. */
  line: number | null;
  /** The rule that decided, if one did. */
  rule: PlacedRule | null;
}

/** A part of a rule, and what it matches. */
export interface Piece {
  /** Bytes that match themselves once normalised; stars, which match any bytes; the `$` that matches the end. */
  kind: "literal" | "star" | "end";
  /** Where it is in the file. Empty for a `/` that the profile assumes and the file does not have. */
  fileSpan: Span;
  /** What it matches in the URL as it was given. */
  urlSpan: Span;
  /** What it matches in {@link ComparedTarget.text}. */
  targetSpan: Span;
}

/** A rule that matches a URL. */
export interface MatchedRule extends PlacedRule {
  /**
   * Which part of the value matches which part of the URL, in order and without gaps. The URL may go on after the last
   * piece. Each star, from left to right, takes as few bytes as possible; a star at the end takes the rest.
   */
  pieces: Piece[];
  /** All that the rule matches in the URL as it was given: from the first piece to the last. */
  urlSpan: Span;
}

/** The part of a URL that is compared with the rules. */
export interface ComparedTarget {
  /** Path and query, normalised. */
  text: string;
  /** Where it is in the URL as it was given. */
  urlSpan: Span;
  /** Whether the first `/` is missing from the URL: `https://e.com?x` is compared as `/?x`. */
  slashImplied: boolean;
  /** What normalising changed: one entry for each byte or `%XX`. */
  changes: { urlSpan: Span; targetSpan: Span }[];
}

/** What became of a `User-agent` line when the crawler's groups were chosen. */
export type Standing =
  /** Its group applies, because of this line. */
  | "chosen"
  /** Its group applies, because of another of its lines. */
  | "in-chosen-group"
  /** It names other crawlers, or none. */
  | "unrelated"
  /** It is for everybody, but another group names the crawler. */
  | "everybody-else"
  /** It names the crawler, but an earlier one of the crawler's names has a group. */
  | "later-name"
  /** Its token is a prefix of the crawler's name, but a longer token is too. */
  | "shorter-token"
  /** It names the crawler, but an earlier line does too, and only the first counts. */
  | "further-down";

/** A `User-agent` line. */
export interface AgentLine {
  /** From 1. */
  line: number;
  /** The value as written. */
  value: string;
  valueSpan: Span;
  /** The number of its group in the file, from 1. */
  group: number;
  /** Which crawlers it names: every crawler that no other group names; those that this token finds; none. */
  names: "everybody" | "token" | "nobody";
  /** The product token, if it names one. */
  token: string | null;
}

/** Which group applies to a crawler. */
export interface Selection {
  /** The groups that name it; those for everybody, because none names it; none, so everything is allowed. */
  choice: "named" | "everybody" | "none";
  /** All `User-agent` lines in the order of the file. */
  lines: (AgentLine & {
    standing: Standing;
    /** The index of the first of the crawler's names that finds the token. */
    foundBy: number | null;
  })[];
}

/** Why a crawler may or may not fetch a URL. */
export interface Explanation extends Decision {
  profile: ProfileName;
  /** The crawler's names, from most to least specific. */
  crawler: string[];
  selection: Selection;
  target: ComparedTarget;
  /** The rules that match, from highest to lowest precedence; 256 at most. */
  matches: MatchedRule[];
  /** How many match, those that are not listed included. */
  matchCount: number;
  /** The rule that decided, with what it matches: an element of `matches`. */
  winner: MatchedRule | null;
  /** The rule that would have decided without the winner's line: an element of `matches`. */
  runnerUp: MatchedRule | null;
  /**
   * The verdict of the other rules alone: without the winner's line, or without the exception for `/robots.txt`. `null`
   * if neither decided.
   */
  verdictOtherwise: Verdict | null;
  /** How many rules the crawler's groups have, those with an empty value not counted. */
  ruleCount: number;
  /** Where the profile's size limit cut the file. `null` if all of it was read. */
  cut: {
    /** How many bytes were read. */
    bytesRead: number;
    /** The first line that was not read, from 1. */
    line: number;
    limitBytes: number;
    /** Whether the whole file would give another answer. */
    matters: boolean;
    /** The verdict by the whole file. */
    verdict: Verdict;
    /** The line that decides in the whole file. */
    winnerLine: number | null;
  } | null;
}

/** One question asked in all four profiles. */
export interface ProfileComparison {
  /** In this order: `rfc9309`, `google`, `google-classic`, `original-1994`. */
  answers: {
    profile: ProfileName;
    /** `invalid`: the profile does not take this for a URL. */
    verdict: Verdict | "invalid";
    /** `null` if the verdict is `invalid`. */
    explanation: Explanation | null;
  }[];
  /** Whether all four give the same verdict. */
  agree: boolean;
  /** The profiles whose verdict or deciding line is not that of `rfc9309`. */
  differences: {
    profile: ProfileName;
    /** Whether the verdict differs. If not, another line decides. */
    ofVerdict: boolean;
    /** What makes the difference, such as `'*' and '$' are plain characters there`. */
    causes: { switch: string; text: string }[];
    /** Whether the causes make the difference only together. If not, each does alone. */
    together: boolean;
  }[];
  /** All of it in one English sentence. */
  sentence: string;
}

/** A line of the form `field: value`. */
export interface RobotsRecord {
  /** From 1. */
  line: number;
  field: "user-agent" | "allow" | "disallow" | "sitemap" | "other";
  /** The field as written. */
  name: string;
  /** The value as written, without the comment and the white space around it. */
  value: string;
  valueSpan: Span;
}

/** A group of the file. */
export interface Group {
  /** From 1. */
  number: number;
  /** Its `User-agent` lines. */
  agents: AgentLine[];
}

/** How many requests to make in what time. */
export interface RequestRate {
  requests: number;
  /** In this many seconds. */
  seconds: number;
  /** The minutes of the day (UTC) from and to which it holds. `null`: always. */
  window: { fromMinute: number; toMinute: number } | null;
}

/** A name in a `User-Agent` header. */
export interface HeaderName {
  name: string;
  /** Where it is in the header. */
  span: Span;
  /**
   * How sure it is that it is the crawler's: it follows the word `compatible`; it has a version or the header begins with
   * it; it stands somewhere else.
   */
  certainty: "compatible" | "product" | "word";
}

// ---- lint ----------------------------------------------------------------------------------------------------------

export type Severity = "note" | "warning" | "error";

/** How to lint. */
export interface LintOptions {
  /** The profiles in which the file is read; at least one. Default: that of the {@link Robots}. */
  profiles?: readonly ProfileName[];
  /** The value of the `Content-Type` header with which the file was served, if known. */
  contentType?: string;
}

/** A place that explains a finding. */
export interface Related {
  /** From 1. */
  line: number;
  span: Span;
  /** May be empty. */
  message: string;
}

/** A change that mends a finding. Its effect is proven, and it never blocks or opens a whole site. */
export interface Fix {
  /** A clause such as `remove the line` or `write '/private/'`. */
  what: string;
  /** What is replaced. Empty if something is inserted. */
  span: Span;
  /** What replaces it. Empty if something is removed. */
  replacement: string;
  /** What it does to verdicts: a clause such as `changes no verdict`. */
  effect: string;
  /** Whether some URLs get another verdict. */
  changesVerdicts: boolean;
  /** What changes, for which crawlers. Empty if nothing does. */
  changes: {
    profiles: string[];
    /** By the tokens of the file; `*` is any crawler that no group names. */
    crawlers: string[];
    /** Paths that become disallowed, the shortest first; three at most. */
    newlyDisallowed: string[];
    /** Paths that become allowed, the shortest first; three at most. */
    newlyAllowed: string[];
  }[];
  /** The profiles in which that is proven. */
  profiles: string[];
}

/** Something that is wrong with a file, or that has no effect. */
export interface Finding {
  /** `RS` and three digits, such as `RS403`. Stable. */
  code: string;
  /** The same in words, such as `redundant-rule`. Stable; a page of the documentation has this name. */
  name: string;
  /** What this kind of finding is, in one sentence. */
  title: string;
  severity: Severity;
  /** What is wrong here: a sentence without capital letter and full stop. */
  message: string;
  /** From 1. */
  line: number;
  /** May be empty. */
  span: Span;
  related: Related[];
  /** What to think of or what to do, unless there is a fix. */
  help: string | null;
  fix: Fix | null;
  /** The profiles in which this holds. */
  profiles: string[];
}

export interface LintReport {
  /** Sorted by line, then by code. */
  findings: Finding[];
  /** The lines of rules for which the budget ran out before it was known whether they have an effect. */
  undecided: number[];
  /** How many findings are left out, by code: those after the first 10,000. */
  leftOut: { code: string; count: number }[];
  /** How many findings comments in the file silenced. */
  silenced: number;
}

/** A kind of finding. */
export interface LintCode {
  code: string;
  name: string;
  severity: Severity;
  /** What is wrong, in one sentence. */
  title: string;
  /** Why it matters. */
  explanation: string;
}

export interface FixOptions extends LintOptions {
  /** `unchanging` (the default): only those that change no verdict. `all`: all. */
  apply?: "unchanging" | "all";
  /** Only those of these codes (numbers or names), so none if it is empty. Default: all codes. */
  codes?: readonly string[];
}

/** A file with fixes applied. */
export interface Fixed {
  /** The file afterwards. */
  text: string;
  /** The same in bytes. The bytes that no fix touched are as they were, even if they are not UTF-8. */
  bytes: Uint8Array;
  /**
   * The findings whose fixes were applied, in that order. Their lines are those of the file at that time, since one fix
   * may uncover another.
   */
  applied: { code: string; name: string; title: string; severity: Severity; message: string; line: number; what: string }[];
  /** What all of it together does to verdicts: a clause. `null` if that could not be proven. */
  effect: string | null;
  /** What is found in the file afterwards. */
  report: LintReport;
}

// ---- diff ----------------------------------------------------------------------------------------------------------

export interface DiffOptions {
  /** How both files are read. Default: the profile of the first {@link Robots} given, else `rfc9309`. */
  profile?: ProfileName;
  /** The crawlers to compare for; at least one. Default: all that either file names, and `*` for any other. */
  crawlers?: readonly Crawler[];
  /** How many examples to report at most in each direction, for each group of crawlers. Default 5. */
  examples?: number;
}

/** The rule that decides about a path. */
export interface DecidingRule {
  verdict: Verdict;
  /** From 1. */
  line: number;
  value: string;
}

/** A path on which the two files differ. */
export interface Flip {
  /** Path and query, normalised. */
  path: string;
  /** Whether no shorter path flips in this direction; proven. */
  isShortest: boolean;
  /**
   * Which other paths are proven to flip with it: none known; every path that begins with `prefix`; every path that
   * begins with `prefix` and is longer.
   */
  extent: { kind: "path" | "from" | "below"; prefix: string };
  /** The rule that decides before, if one does. */
  before: DecidingRule | null;
  /** The rule that decides after, if one does. */
  after: DecidingRule | null;
}

/** What changed for some crawlers. */
export interface CrawlerDiff {
  /** All crawlers for which the same changed; `*` is any crawler that no group names. */
  crawlers: string[];
  /** `equal` is proven. `unknown`: no difference was found, but equality is not proven. */
  result: "equal" | "different" | "unknown";
  /** Paths that were allowed and are no longer. The proven shortest come first. */
  closed: Flip[];
  /** Paths that were not allowed and now are. The proven shortest come first. */
  opened: Flip[];
  /** How many more pairs of deciding rules close paths, at least. */
  moreClosed: number;
  /** How many more pairs of deciding rules open paths, at least. */
  moreOpened: number;
  /**
   * How many rules that only one of the files has may flip paths too: the budget was used up. Every other such rule decides
   * one of the paths listed or counted, or is proven to flip none.
   */
  unexamined: number;
  /** What happened to the site as a whole: proven. `null` if none of these is. */
  wholeSite: "closed" | "opened" | "partly-opened" | null;
  /** Why the comparison has no proof. If `null`, a direction without paths has none. */
  unproven: string | null;
}

/** What changed in the records of one kind, such as sitemaps. */
export interface RecordDiff {
  /** The crawlers for which it changed; `null` for records of the whole file. */
  crawlers: string[] | null;
  /** The field in lower case, such as `crawl-delay`. */
  kind: string;
  removed: { line: number; field: string; value: string }[];
  added: { line: number; field: string; value: string }[];
  moreRemoved: number;
  moreAdded: number;
}

export interface Diff {
  /** Whether both files are proven to say the same to all the crawlers. */
  isEqual: boolean;
  /** What changed about what crawlers may fetch: one entry for all crawlers with the same policies. */
  crawlers: CrawlerDiff[];
  /** What changed in sitemaps, crawl delays and other records. */
  records: RecordDiff[];
}

// ---- automaton -----------------------------------------------------------------------------------------------------

export interface AutomatonOptions {
  /** A URL to walk through it. */
  url?: Text;
  /** How many states to return at most. Default 512, at most 65,536. */
  maxStates?: number;
}

/**
 * A policy's deterministic automaton: it reads path and query byte by byte, normalised, from the byte after the first
 * `/`. Each byte leads from one state to the next.
 */
export interface Automaton {
  /** The states, the start first. Indexes into this array name states everywhere. */
  states: AutomatonState[];
  /** The state before the first byte is read: after the first `/`. Always 0. */
  start: number;
  /** How many states there are in all. `null` if there are more than 65,536, which are not counted. */
  stateCount: number | null;
  /**
   * Whether `states` has all of them. If not: with a URL they are the states of its walk and then their neighbours,
   * without one those nearest to the start.
   */
  isWhole: boolean;
  /** The walk of the URL, if one was given. */
  walk: Walk | null;
}

export interface AutomatonState {
  /** The verdict if the URL ends here. */
  verdict: Verdict;
  /** Whether the verdict is final: whatever follows is not read. Such a state has no transitions. */
  isFinal: boolean;
  /** The least number of bytes that lead here from the start. `null` if that was not found out (see `stateCount`). */
  depth: number | null;
  /**
   * Where bytes lead, in the order of the first byte of each class. `to` is `null` if that state is not among
   * {@link Automaton.states}.
   */
  transitions: { bytes: ByteClass; to: number | null }[];
  /**
   * Where every byte without a transition leads. `null` if that state is not among `states`, or if this one is final.
   */
  otherwise: number | null;
}

/** A set of bytes. */
export interface ByteClass {
  /** First and last byte of each run, ascending. */
  ranges: [number, number][];
  /** To show: `a`, `0-9 _`, `\xC3`. */
  label: string;
}

/** The walk of a URL. */
export interface Walk {
  /** The verdict it ends with; the exception for `/robots.txt` is not part of the automaton. */
  verdict: Verdict;
  /** One for each byte that is read. The walk begins in {@link Automaton.start}, after the first `/`. */
  steps: WalkStep[];
  /** Whether it ends early, in a final state, before the end of the URL. */
  stopsEarly: boolean;
  /** What is walked: path and query, normalised. */
  target: ComparedTarget;
}

export interface WalkStep {
  /** The byte, normalised. */
  byte: number;
  /** The same to show. */
  label: string;
  /** The state after it. `null` if it is not among {@link Automaton.states}. */
  state: number | null;
  /** Where the byte comes from in the URL as it was given. Several bytes may come from one `%XX` or character. */
  urlSpan: Span;
}
