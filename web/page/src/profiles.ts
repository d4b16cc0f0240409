/** The profiles, for people. The engine runs in the workers only, so their names are here; a test compares them. */

import type { ProfileName } from "robotsieve";

export const PROFILE_NAMES: readonly ProfileName[] = ["rfc9309", "google", "google-classic", "original-1994"];

export const PROFILE_TITLES: Record<ProfileName, string> = {
  "rfc9309": "RFC 9309",
  "google": "Google's code",
  "google-classic": "Google's old specification",
  "original-1994": "The standard of 1994",
};

export const PROFILE_NOTES: Record<ProfileName, string> = {
  "rfc9309": "The standard, for any crawler today.",
  "google": "The parser of Googlebot (google/robotstxt), quirks included.",
  "google-classic": "What Google wrote before there was an RFC.",
  "original-1994": "For old robots: no Allow, no * and no $.",
};
