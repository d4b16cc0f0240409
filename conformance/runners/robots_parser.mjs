import robotsParser from "robots-parser";

import { run } from "./suite.mjs";

// It answers for the host of the file only.
const of = (url) => (URL.canParse(url) ? new URL("/robots.txt", url).href : "http://example.com/robots.txt");

run((robots, name, url) => robotsParser(of(url), robots).isAllowed(url, name));
