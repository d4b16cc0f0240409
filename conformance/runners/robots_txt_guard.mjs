import { Readable } from "node:stream";

import guard from "robots-txt-guard";
import parse from "robots-txt-parse";

import { run } from "./suite.mjs";

// It takes paths.
const path = (url) => (url.startsWith("/") ? url : new URL(url).pathname + new URL(url).search);

run(async (robots, name, url) => guard(await parse(Readable.from([robots]))).isAllowed(name, path(url)));
