/** Keeps the page in the browser, so that it works offline and asks no server for anything. */

/// <reference lib="webworker" />

/** The build writes these: all files of the page, and a hash of them. */
declare const FILES: readonly string[];
declare const VERSION: string;

const worker = self as unknown as ServiceWorkerGlobalScope;

// Other pages of the same origin have caches of their own.
const PREFIX = `robotsieve ${worker.registration.scope} `;
const CACHE = PREFIX + VERSION;

worker.addEventListener("install", (event) => {
  // Past the HTTP cache: it could hold files of another version.
  const requests = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(requests)));
});

worker.addEventListener("activate", (event) => {
  const tidy = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
    await worker.clients.claim();
  };
  event.waitUntil(tidy());
});

worker.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(worker.registration.scope)) return;
  const answer = async () => {
    const cache = await caches.open(CACHE);
    const stored = await cache.match(event.request, { ignoreSearch: true });
    return stored ?? fetch(event.request);
  };
  event.respondWith(answer());
});
