export const SEVERITIES = ["note", "warning", "error"] as const;

/** How many findings are shown on a page of the list. */
export const FINDINGS_PAGE = 50;

/** The URLs of a text: one a line, without the white space around them. */
export function urlsOf(text: string): string[] {
  return text.split(/\r\n?|\n/).map((line) => line.trim()).filter((line) => line !== "");
}
