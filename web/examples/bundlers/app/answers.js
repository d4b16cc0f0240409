// What each bundle is asked, whatever it was made of.

export function answers({ Robots }) {
  const policy = new Robots("User-agent: *\nDisallow: /a\n").policy("MyCrawler");
  return [policy.isAllowed("https://example.com/a"), policy.isAllowed(new URL("https://example.com/b"))];
}

/** Tells whoever runs the bundle: a page, or Node. */
export function tell(found) {
  globalThis.answered = found.catch((error) => `${error.code}: ${error.message}`);
}
