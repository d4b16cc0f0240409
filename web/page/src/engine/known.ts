/** The crawlers that are known by name: `data/crawlers.toml`, made JSON by the build. */

export const PURPOSES = [
  "search", "ai-training", "ai-assistants", "archive", "seo", "ads", "link-preview", "monitoring", "other",
] as const;

/** What a crawler reads for. */
export type Purpose = (typeof PURPOSES)[number];

/** The command's headings. */
export const PURPOSE_TITLES: Record<Purpose, string> = {
  "search": "search",
  "ai-training": "AI training",
  "ai-assistants": "AI search and assistants",
  "archive": "archives",
  "seo": "SEO",
  "ads": "advertising",
  "link-preview": "link previews",
  "monitoring": "monitoring",
  "other": "other",
};

export interface KnownCrawler {
  name: string;
  token: string;
  operator: string;
  purpose: Purpose;
  /** Whether it obeys robots.txt, by what its operator says. */
  obeys: "yes" | "no" | "partly" | "unknown";
  /** Whether it obeys the groups for everybody if none names it. */
  star: boolean;
  /** Other names whose groups it obeys if none names it, the first that has one. */
  after: string[];
}

/** The names whose groups it obeys, the first that has one. */
export function namesOf(crawler: KnownCrawler): string[] {
  return [crawler.token, ...crawler.after];
}

/** Crawlers by name. */
export class Known {
  private readonly byLowerToken: Map<string, KnownCrawler>;

  constructor(readonly crawlers: readonly KnownCrawler[]) {
    this.byLowerToken = new Map(crawlers.map((crawler) => [crawler.token.toLowerCase(), crawler]));
  }

  /** By its product token, in any case. */
  byToken(token: string): KnownCrawler | undefined {
    return this.byLowerToken.get(token.toLowerCase());
  }

  ofPurpose(purpose: Purpose): KnownCrawler[] {
    return this.crawlers.filter((crawler) => crawler.purpose === purpose);
  }
}
