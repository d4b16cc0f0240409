/** What the page asks its workers. */

import type { DiffReport, Finding, Intentions, ProfileName, ReachReport, TagReading } from "robotsieve";
import type { Asker, Known } from "./asker.js";
import type { Blocked, Column, FindingsOverview, Machine, Members, RightsAnswer, Why, Written } from "./answers.js";

/** Questions and their answers, by name. All but `write` and `utf16` are about the file in the left editor. */
export interface Questions {
  table: { ask: { askers: Asker[]; urls: string[] }; answer: Column[] };
  members: { ask: { asker: Asker & { kind: "purpose" }; url: string }; answer: Members };
  why: { ask: { asker: Asker; url: string }; answer: Why };
  lint: { ask: Record<never, never>; answer: FindingsOverview };
  findings: { ask: { numbers: number[] }; answer: Finding[] };
  fixed: { ask: Record<never, never>; answer: { text: string; applied: number } };
  block: { ask: Blocked; answer: { text: string; notes: string[] } };
  diff: { ask: Record<never, never>; answer: DiffReport };
  machine: { ask: { asker: Asker; url: string | null }; answer: Machine };
  crawlers: { ask: Record<never, never>; answer: ReachReport };
  rights: { ask: { asker: Asker; url: string; headers: string; html: string; reading: TagReading }; answer: RightsAnswer };
  write: { ask: Intentions; answer: Written };
  utf16: { ask: { bytes: Uint8Array }; answer: string | null };
}

export type Kind = keyof Questions;

/** A text of an editor. `text` is left out if the worker has it. */
export interface SentFile {
  id: number;
  text?: string;
}

export type ToWorker =
  | { start: { module: WebAssembly.Module } }
  | { number: number; kind: Kind; profile: ProfileName; file: SentFile; before?: SentFile; ask: unknown };

export type FromWorker =
  | { ready: true; known: Known }
  /** The worker cannot be used: the message says why. */
  | { broken: string }
  | { number: number; answer: unknown }
  /** What the reader typed cannot be used. */
  | { number: number; refused: string }
  | { number: number; failed: string };
