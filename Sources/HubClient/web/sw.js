// The service worker: the shell from a cache of one version, everything below /api/ from the hub alone.
// The hub puts two lines before this file: VERSION, a digest of all files, and FILES, their addresses.
const CACHE = `shell-${VERSION}`;

self.addEventListener("install", event => {
  const requests = FILES.map(path => new Request(path, { cache: "no-cache" }));
  event.waitUntil(caches.open(CACHE).then(cache => cache.addAll(requests)));
});

self.addEventListener("activate", event => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
    await self.clients.claim();
  })());
});

// The page decides when a new version takes over, so that a page keeps its version until it is reloaded.
self.addEventListener("message", event => {
  if (event.data === "take-over") self.skipWaiting();
});

self.addEventListener("fetch", event => {
  const url = new URL(event.request.url);
  if (url.origin !== self.location.origin || event.request.method !== "GET") return;
  if (url.pathname.startsWith("/api/") || url.pathname === "/health") return;
  const path = event.request.mode === "navigate" ? "/" : url.pathname;
  event.respondWith(caches.open(CACHE).then(async cache => (await cache.match(path)) ?? fetch(event.request)));
});
