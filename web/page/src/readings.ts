/** Whose reading of robots tags counts, for people. As in `profiles.ts`, the names are here, and a test compares them. */

import type { TagReading } from "robotsieve";

export const READING_NAMES: readonly TagReading[] = ["generic", "google", "bing", "yandex", "amazon"];

export const READING_TITLES: Record<TagReading, string> = {
  "generic": "Any search engine",
  "google": "Google",
  "bing": "Bing",
  "yandex": "Yandex",
  "amazon": "Amazon",
};
