/** What the page asks its workers. */

import type { Diff, Finding, ProfileName } from "robotsieve";
import type { Asker } from "./asker.js";
import type { Column, FindingsOverview, Machine, Members, Why } from "./answers.js";
import type { KnownCrawler } from "./known.js";
import type { ReachTable } from "./reach.js";

/** Questions and their answers, by name. All are about the file in the left editor. */
export interface Questions {
  table: { ask: { askers: Asker[]; urls: string[] }; answer: Column[] };
  members: { ask: { asker: Asker & { kind: "purpose" }; url: string }; answer: Members };
  why: { ask: { asker: Asker; url: string }; answer: Why };
  lint: { ask: Record<never, never>; answer: FindingsOverview };
  findings: { ask: { numbers: number[] }; answer: Finding[] };
  fixed: { ask: Record<never, never>; answer: { text: string; applied: number } };
  diff: { ask: Record<never, never>; answer: Diff };
  machine: { ask: { asker: Asker; url: string | null }; answer: Machine };
  crawlers: { ask: Record<never, never>; answer: ReachTable };
}

export type Kind = keyof Questions;

/** A text of an editor. `text` is left out if the worker has it. */
export interface SentFile {
  id: number;
  text?: string;
}

export type ToWorker =
  | { start: { module: WebAssembly.Module; crawlers: readonly KnownCrawler[] } }
  | { number: number; kind: Kind; profile: ProfileName; file: SentFile; before?: SentFile; ask: unknown };

export type FromWorker =
  | { ready: true }
  /** The worker cannot be used: the message says why. */
  | { broken: string }
  | { number: number; answer: unknown }
  /** What the reader typed cannot be used. */
  | { number: number; refused: string }
  | { number: number; failed: string };
