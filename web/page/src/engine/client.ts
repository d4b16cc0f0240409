/** A worker that answers questions, and can be stopped. */

import type { ProfileName } from "robotsieve";
import type { Known } from "./asker.js";
import type { FromWorker, Kind, Questions, SentFile, ToWorker } from "./protocol.js";

/** A text with a number that changes when the text does. */
export interface NumberedText {
  id: number;
  text: string;
}

export interface Context {
  profile: ProfileName;
  file: NumberedText;
  before?: NumberedText;
}

/** Why there is no answer. */
export class NoAnswer extends Error {
  constructor(
    /**
     * - `superseded`: a newer question of this kind took its place.
     * - `stopped`: the reader pressed Stop.
     * - `timeout`: it took too long.
     * - `refused`: what the reader typed cannot be used; the message says why.
     * - `failed`: a bug, or a worker that cannot run.
     */
    readonly reason: "superseded" | "stopped" | "timeout" | "refused" | "failed",
    message: string = reason,
  ) {
    super(message);
  }
}

interface Waiting {
  kind: Kind;
  ask: unknown;
  context: Context;
  resolve(answer: unknown): void;
  reject(error: NoAnswer): void;
}

/** After so long a worker is ended, whatever it does. */
export const TIMEOUT_SECONDS = 20;

/** After so long the page says that it is at work, and offers to stop it. */
const PATIENCE_MS = 600;

export interface ClientOptions {
  /** What the worker does, for people. */
  what: string;
  script: string;
  module: WebAssembly.Module;
  /** Called each time a worker is ready, with what the module knows of crawlers; and if it cannot be used, with the reason. */
  onReady?(known: Known | Error): void;
  /** Called when an answer takes long, and with `null` when it does no longer. */
  onBusy(kind: Kind | null): void;
  /** Called when a worker was ended because it took too long. */
  onTimeout(kind: Kind): void;
}

/**
 * Asks one question at a time. Of the questions that wait, only the newest of each kind is kept, so answers never queue up
 * behind a text that has changed.
 */
export class Client {
  private worker: Worker | null = null;
  private number = 0;
  private current: (Waiting & { number: number }) | null = null;
  private readonly waiting = new Map<Kind, Waiting>();
  private readonly sent = new Map<"file" | "before", number>();
  private timers: ReturnType<typeof setTimeout>[] = [];
  private isReady = false;
  private broken: string | null = null;
  private isShownBusy = false;

  constructor(private readonly options: ClientOptions) {
    this.start();
  }

  ask<K extends Kind>(kind: K, ask: Questions[K]["ask"], context: Context): Promise<Questions[K]["answer"]> {
    this.waiting.get(kind)?.reject(new NoAnswer("superseded"));
    return new Promise((resolve, reject) => {
      this.waiting.set(kind, { kind, ask, context, resolve: resolve as (answer: unknown) => void, reject });
      this.next();
    });
  }

  /** Ends what is at work. The worker starts anew. */
  stop(reason: "stopped" | "timeout" = "stopped"): void {
    const current = this.current;
    this.worker?.terminate();
    this.settle();
    this.start();
    current?.reject(new NoAnswer(reason));
    // What else was asked about this file would take as long.
    for (const [kind, waiting] of this.waiting) {
      if (waiting.context.file.id !== current?.context.file.id) continue;
      this.waiting.delete(kind);
      waiting.reject(new NoAnswer("superseded"));
    }
    if (this.isShownBusy && this.waiting.size === 0) {
      this.isShownBusy = false;
      this.options.onBusy(null);
    }
    if (reason === "timeout" && current) this.options.onTimeout(current.kind);
    this.next();
  }

  private start(): void {
    this.isReady = false;
    this.broken = null;
    this.sent.clear();
    const worker = new Worker(this.options.script, { type: "module", name: this.options.what });
    worker.addEventListener("message", (event: MessageEvent<FromWorker>) => {
      if (worker === this.worker) this.hear(event.data);
    });
    worker.addEventListener("error", (event) => {
      if (worker === this.worker) this.fail(event.message || "the worker could not be started");
    });
    this.worker = worker;
    worker.postMessage({ start: { module: this.options.module } } satisfies ToWorker);
  }

  private hear(message: FromWorker): void {
    if ("ready" in message) {
      this.isReady = true;
      this.options.onReady?.(message.known);
    } else if ("broken" in message) {
      this.fail(message.broken);
    } else if (this.current && message.number === this.current.number) {
      const { current } = this;
      this.settle();
      if ("answer" in message) current.resolve(message.answer);
      else if ("refused" in message) current.reject(new NoAnswer("refused", message.refused));
      else current.reject(new NoAnswer("failed", message.failed));
    }
    this.next();
  }

  private fail(message: string): void {
    this.broken = message;
    this.options.onReady?.(new Error(message));
    const { current } = this;
    this.settle();
    current?.reject(new NoAnswer("failed", message));
    this.next();
  }

  private settle(): void {
    this.timers.forEach(clearTimeout);
    this.timers = [];
    this.current = null;
    if (this.isShownBusy && this.waiting.size === 0) {
      this.isShownBusy = false;
      this.options.onBusy(null);
    }
  }

  private next(): void {
    if (this.broken !== null) {
      for (const waiting of this.waiting.values()) waiting.reject(new NoAnswer("failed", this.broken));
      this.waiting.clear();
    }
    if (this.current || !this.isReady) return;
    const [first] = this.waiting.values();
    if (!first) return;
    this.waiting.delete(first.kind);
    this.number += 1;
    this.current = { ...first, number: this.number };
    const { file, before, profile } = first.context;
    const message: ToWorker = {
      number: this.number, kind: first.kind, profile, file: this.toSend("file", file), ask: first.ask,
    };
    if (before) message.before = this.toSend("before", before);
    this.worker?.postMessage(message);
    const busy = () => {
      this.isShownBusy = true;
      this.options.onBusy(first.kind);
    };
    this.timers = [setTimeout(busy, PATIENCE_MS), setTimeout(() => this.stop("timeout"), TIMEOUT_SECONDS * 1000)];
  }

  private toSend(place: "file" | "before", file: NumberedText): SentFile {
    if (this.sent.get(place) === file.id) return { id: file.id };
    this.sent.set(place, file.id);
    return file;
  }
}
