/**
 * The data that the package takes and returns.
 *
 * **Text and bytes.** A robots.txt and a URL are bytes. A string stands for its UTF-8; a lone surrogate stands for
 * U+FFFD, as everywhere on the web (`USVString`). What comes back as a string was decoded like
 * `new TextDecoder().decode(bytes)`: bytes that are not UTF-8 become U+FFFD.
 *
 * **Positions.** A span is `[start, end]` in bytes, or in UTF-16 code units (what `String.prototype.slice`,
 * CodeMirror and Monaco count) where `{ spans: "utf16" }` was given. A member `…_span` is a place in the file, unless its
 * name begins with the text that it is of: `url_span`, `target_span`, `agent_span`. Lines are counted from 1.
 *
 * **Reports.** What is said of verdicts are the reports of `reports.ts`: the same documents, member by member, that the
 * command prints with `--format json` and Python's `to_dict()` returns.
 *
 * **`null`** means that there is none. Only `…_base64` may be missing: it is there where bytes are not UTF-8.
 *
 * **Options** that are `null` or `undefined` are as if not given. An option of another name throws a `TypeError`.
 */

import type { ComparedTarget, FixReport, Span, Verdict } from "./reports.js";

/**
 * A reading of the protocol.
 *
 * - `rfc9309`: RFC 9309, the default.
 * - `google`: the code of google/robotstxt, byte for byte, with its leniencies.
 * - `google-classic`: Google's written specification from before the RFC.
 * - `original-1994`: the standard of 1994, without wildcards and without `Allow`.
 */
export type ProfileName = "rfc9309" | "google" | "google-classic" | "original-1994";

/** The unit of positions: bytes, or in UTF-16 code units as JavaScript does. */
export type Spans = "bytes" | "utf16";

/** The reading of a file, and the form of what is said of it. */
export interface RobotsOptions {
  /**
   * Default: `rfc9309`. In `crawlers` and `diff`, known crawlers read the file as their operators do, unless one is
   * named.
   */
  profile?: ProfileName;
  /** The name of the file: the member `robots` of its reports. Default: none. */
  name?: Text;
  /** The unit of positions in all that is said of the file. Default: `bytes`. */
  spans?: Spans;
}

/** Text, or the bytes of a text. */
export type Text = string | Uint8Array;

/** A URL: text, or an object that has it in `href`, as `URL` and `Location` do. */
export type Address = string | { readonly href: string };

/**
 * A URL, or a path that begins with `/`: an {@link Address} or the bytes of its text.
 *
 * A lone surrogate stands for U+FFFD, so the verdict is the one on `%EF%BF%BD`: what `new URL(url)` makes of it, and what a
 * server is asked for.
 */
export type Url = Address | Uint8Array;

/**
 * Who asks: the crawler's name (its *product token*, such as `GPTBot`), several names from most to least specific
 * (`["Googlebot-Image", "Googlebot"]`), or the whole `User-Agent` header that it sends.
 *
 * `"*"` and `""` stand for a crawler that no group names. `{ names }` takes names as given: one that no `User-agent` line
 * can name finds no group, and is no error. So does `{ firstOf }`, and the groups of its first name that has any decide, also
 * in profiles that merge those of all names: so known crawlers do, with `[token, ...after]`.
 */
export type Crawler =
  | string
  | readonly string[]
  | { readonly userAgent: Text }
  | { readonly names: readonly string[] }
  | { readonly firstOf: readonly string[] };

/**
 * The reason for a verdict.
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
  /** The whole line without its line end. */
  line_span: Span;
  /** The value as written, without the comment and the white space around it. */
  value: string;
  value_span: Span;
  /** The text that is compared with URLs: normalised, without stars that change nothing and without the `$` of an anchored rule. */
  pattern: string;
  /** True if the URL must end where the pattern ends, because the rule ends in `$`. */
  anchored: boolean;
  /** Of several rules that match, the one with the highest precedence decides; of equal ones `allow`. */
  precedence: number;
}

/** A verdict with the reason for it. */
export interface Decision {
  verdict: Verdict;
  /** True if the verdict is `allow`. */
  allowed: boolean;
  reason: Reason;
  /** The line that decided, from 1: of a rule, or of the first rule with an empty value. */
  line: number | null;
  /** The rule that decided, if one did. */
  rule: Rule | null;
}

/** A line of the form `field: value`. */
export interface Line {
  /** From 1. */
  line: number;
  field: "user-agent" | "allow" | "disallow" | "sitemap" | "other";
  /** The field as written. */
  name: string;
  /** The value as written, without the comment and the white space around it. */
  value: string;
  value_span: Span;
}

/** A group of the file. */
export interface Group {
  /** From 1. */
  number: number;
  /** Its `User-agent` lines. */
  agents: UserAgentLine[];
}

/** A `User-agent` line. */
export interface UserAgentLine {
  /** From 1. */
  line: number;
  /** The value as written. */
  value: string;
  value_span: Span;
  /** The crawlers that it names: every crawler that no other group names; those that this token finds; none. */
  names: "everybody" | "token" | "nobody";
  /** The product token, if it names one. */
  token: string | null;
}

/** The number of requests to make in a time. */
export interface Rate {
  requests: number;
  /** In this many seconds. */
  seconds: number;
  /** The minutes of the day (UTC) from and to which it holds. `null`: always. */
  window: { from_minute: number; to_minute: number } | null;
}

/** A name in a `User-Agent` header. */
export interface HeaderName {
  name: string;
  /** Its place in the header. */
  agent_span: Span;
  /**
   * The certainty that it is the crawler's: it follows the word `compatible`; it has a version or the header begins with
   * it; it stands somewhere else.
   */
  certainty: "compatible" | "product" | "word";
}

// ---- lint ----------------------------------------------------------------------------------------------------------

/** The options of lint. */
export interface LintOptions {
  /** The profiles in which the file is read; at least one. Default: that of the {@link Robots}. */
  profiles?: readonly ProfileName[];
  /** The value of the `Content-Type` header with which the file was served, if known. */
  contentType?: string;
}

/** A kind of finding. */
export interface LintCode {
  code: string;
  name: string;
  severity: "note" | "warning" | "error";
  /** The mistake in one sentence. */
  title: string;
  /** The reason why it matters. */
  explanation: string;
}

export interface FixOptions extends LintOptions {
  /** `unchanging` (the default): only those that change no verdict and no pace. `all`: all. */
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
  /** The fixes that were applied, their effect on verdicts, and the findings in the file afterwards. */
  report: FixReport;
}

// ---- diff ----------------------------------------------------------------------------------------------------------

export interface DiffOptions {
  /** The reading of both files. Default: the profile of the first {@link Robots} given, else `rfc9309`. */
  profile?: ProfileName;
  /** The crawlers to compare for; at least one. Default: all that either file names, and `*` for any other. */
  crawlers?: readonly Crawler[];
  /** The most examples to report in each direction, for each group of crawlers. Default 5. */
  examples?: number;
}

// ---- records -------------------------------------------------------------------------------------------------------

export interface RecordsOptions {
  /** Only the records that are for one of these crawlers; at least one. Default: all. */
  crawlers?: readonly Crawler[];
}

// ---- automaton -----------------------------------------------------------------------------------------------------

export interface AutomatonOptions {
  /** A URL to walk through it. */
  url?: Url;
  /** The most states to return. Default 512, at most 65,536. */
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
  /** The number of states in all. `null` if there are more than 65,536, which are not counted. */
  state_count: number | null;
  /**
   * True if `states` has all of them. If not: with a URL they are the states of its walk and then their neighbours,
   * without one those nearest to the start.
   */
  whole: boolean;
  /** The walk of the URL, if one was given. */
  walk: Walk | null;
}

export interface AutomatonState {
  /** The verdict if the URL ends here. */
  verdict: Verdict;
  /** True if the verdict is final: whatever follows is not read. Such a state has no transitions. */
  final: boolean;
  /** The least number of bytes that lead here from the start. `null` if that was not found out (see `state_count`). */
  depth: number | null;
  /**
   * The states to which bytes lead, in the order of the first byte of each class. `to` is `null` if that state is not among
   * {@link Automaton.states}.
   */
  transitions: { bytes: ByteClass; to: number | null }[];
  /**
   * The state to which every byte without a transition leads. `null` if that state is not among `states`, or if this one is final.
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
  /** True if it ends early, in a final state, before the end of the URL. */
  stops_early: boolean;
  /** The target that is walked: path and query, normalised. */
  target: ComparedTarget;
}

export interface WalkStep {
  /** The byte, normalised. */
  byte: number;
  /** The same to show. */
  label: string;
  /** The state after it. `null` if it is not among {@link Automaton.states}. */
  state: number | null;
  /** The place of the byte in the URL as it was given. Several bytes may come from one `%XX` or character. */
  url_span: Span;
}
