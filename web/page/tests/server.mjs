// A file server as plain as any, on loopback. Counts what it is asked for.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json",
  ".webmanifest": "application/manifest+json", ".wasm": "application/wasm",
};

/** Serves a folder under a path, as GitHub Pages does: /robotsieve/. */
export async function serve(folder, path = "/robotsieve/") {
  const requests = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://a");
    requests.push(pathname);
    if (!pathname.startsWith(path)) {
      response.writeHead(404).end();
      return;
    }
    const name = normalize(decodeURIComponent(pathname.slice(path.length)) || "index.html");
    try {
      if (name.startsWith("..")) throw new Error("outside");
      const body = await readFile(join(folder, name));
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}${path}`;
  return { url, requests, close: () => new Promise((resolve) => server.close(resolve)) };
}
