// What wasm-bindgen makes of ../src, as far as the package uses it.

export class RawRobots {
  constructor(file: Uint8Array, profile: number, name: Uint8Array | undefined, isUtf16: boolean);
  free(): void;
  text(): Uint8Array;
  file(): Uint8Array;
  extent(): string;
  sitemaps(): string;
  tokens(): string;
  groups(): string;
  lines(): string;
  policy(crawler: Uint8Array): RawPolicy;
  pace(crawler: Uint8Array): string;
  explain(crawler: Uint8Array, url: Uint8Array): string;
  compareProfiles(crawler: Uint8Array, url: Uint8Array): string;
  // Not in core.
  lint(profiles: Uint8Array, contentType?: string): string;
  fix(profiles: Uint8Array, contentType: string | undefined, all: boolean, codes?: string): RawFixed;
  // Only in known.
  records(crawlers: Uint8Array): string;
  crawlers(urls: string[], purposes: string[], isNamed: boolean): string;
  block(purposes: string[], tokens: string[]): RawFixed;
  didYouMean(token: string): string | undefined;
  policyOfKnown(token: string): RawPolicy | undefined;
  noteOfKnown(token: string): string | undefined;
}

export class RawPolicy {
  free(): void;
  answer(len: number): number;
  answersByLine(len: number, count: number): Uint8Array;
  answersByLength(len: number, lengths: Uint32Array): Uint8Array;
  decide(len: number): string;
  compile(): void;
  engine(): string;
  limitHit(): string | undefined;
  rules(): string;
  group(): string;
  pace(): string;
  toDot(): string | undefined;
  automaton(url: Uint8Array | undefined, most: number): string | undefined;
}

export class RawFixed {
  free(): void;
  file(): Uint8Array;
  json(): string;
}

// Only in rights.

export class RawRightsReader {
  constructor(crawler: Uint8Array, reading: string, vocabulary: string, tokens: string[]);
  free(): void;
  robots(robots: RawRobots): RawRobotsRights;
  rights(
    url: Uint8Array, robots: RawRobotsRights, headers: Uint8Array, html: Uint8Array | undefined, xmp: Uint8Array | undefined,
    documents: RawDocuments, now: number,
  ): string;
  report(
    url: Uint8Array, robots: RawRobotsRights, headers: Uint8Array, html: Uint8Array | undefined, xmp: Uint8Array | undefined,
    documents: RawDocuments, now: number,
  ): string;
}

// Only in write.
export class RawIntentions {
  free(): void;
  group(): void;
  add(field: string, value: string): boolean;
  crawlDelay(seconds: number): void;
  /** Frees it too. */
  build(): string;
}

export class RawRobotsRights {
  static ofNone(): RawRobotsRights;
  free(): void;
}

export class RawDocuments {
  constructor();
  free(): void;
  add(address: string, file: Uint8Array): void;
  addNotRead(address: string): void;
}

export function policyTokens(): string;

export function scratch(len: number): number;
export function moduleMemory(): Memory;
export function isFull(): boolean;
export function headerNames(header: Uint8Array, isUtf16: boolean): string;
export function lintCodes(): string;
export function diffFiles(before: RawRobots, after: RawRobots, crawlers: Uint8Array, examples: number, isNamed: boolean): string;
export function knownCrawlers(): string;
export function purposes(): string;

/** A `WebAssembly.Memory`. Types of the platform are not named, so that the package's own need no `lib`. */
interface Memory {
  readonly buffer: ArrayBufferLike;
}

/** `module`: a `WebAssembly.Module`, or its bytes. */
export function initSync(source: { module: object }): unknown;
/** A new instance: what the old one held is lost. */
export function __wbg_reset_state(): void;
export default function init(source: { module_or_path: string | object }): Promise<unknown>;
