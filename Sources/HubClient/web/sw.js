// The service worker: the shell from a cache of one version, everything below /api/ from the hub alone. A plain script, which all browsers
// run; worker.js adds what needs modules.
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
  if (event.data === "close-over") event.waitUntil(closeOver());
});

// A browser that shows nothing for a push message takes the permission away. So no message only closes others: they are looked at beside one
// that is shown, and when the page hears of changes.
self.addEventListener("push", event => {
  let said = {};
  try { said = event.data.json(); } catch { /* shown all the same */ }
  event.waitUntil(show(said.title ?? "syncd has a reminder", said).then(() => closeOver(said.tag)));
});

const show = (title, said) => self.notify(title, { body: said.body, tag: said.tag, data: said, actions: buttons(said) });

/** Shows a message with the icon of the app. The icon comes from the cache, as data: a browser shows a message only when it has loaded the icon,
    and Chromium waits 90 seconds for a hub that does not answer (measured with version 156). */
self.notify = async (title, options) => self.registration.showNotification(title, { icon: await icon(), ...options });

/** Closes the reminders here that are over, because the entry was done, moved or put off elsewhere. Without the hub, they stay. */
async function closeOver(except = null) {
  const shown = (await self.registration.getNotifications()).filter(n => n.data?.date && n.data.entry && n.tag !== except).slice(0, 100);
  if (!shown.length) return;
  const answer = await post("/alerts/over", { shown: shown.map(n => ({ date: n.data.date, entry: n.data.entry })) });
  const over = answer?.ok ? (await answer.json()).over : [];
  for (const one of shown) if (over.includes(one.data.date)) one.close();
}

/** Sends a request; null if the hub cannot be reached before the browser ends the worker. */
const post = (path, body) => fetch(`/api/v1${path}`, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal: AbortSignal.timeout(30_000),
}).catch(() => null);

async function icon() {
  const cached = await caches.open(CACHE).then(cache => cache.match("/icon-192.png")).catch(() => undefined);
  return cached && `data:image/png;base64,${btoa(String.fromCharCode(...new Uint8Array(await cached.arrayBuffer())))}`;
}

/** `self.finish` is of worker.js. The hub sends `finish` with entries that have a state to leave. */
const buttons = said => [
  ...(self.finish && said.finish ? [{ action: "done", title: "Done" }] : []),
  ...(said.date ? [{ action: "snooze", title: "In 1 hour" }] : []),
];

self.addEventListener("notificationclick", event => {
  const { data, title } = event.notification;
  event.notification.close();
  const act = { done: finished, snooze }[event.action];
  event.waitUntil(act ? act(title, data) : open(data ?? {}));
});

async function finished(title, said) {
  try { await self.finish(said); } catch (error) { await show(title, { ...said, finish: null, body: `Not done: ${error.message}` }); }
}

async function snooze(title, said) {
  const answer = await post(`/alerts/${said.date}/snooze`, { minutes: 60 });
  if (!answer?.ok) await show(title, { ...said, body: `Not put off: the hub ${answer ? "refused" : "cannot be reached"}.` });
}

async function open({ route, entry }) {
  route ??= entry ? `#/item/${encodeURIComponent(entry)}` : "#/agenda";
  const [page] = await self.clients.matchAll({ type: "window" });
  if (!page) return void await self.clients.openWindow(`/${route}`);
  await page.focus();
  page.postMessage({ route });
}

self.addEventListener("fetch", event => {
  const url = new URL(event.request.url);
  if (url.origin !== self.location.origin || event.request.method !== "GET") return;
  if (url.pathname.startsWith("/api/") || url.pathname === "/health") return;
  const path = event.request.mode === "navigate" ? "/" : url.pathname;
  event.respondWith(caches.open(CACHE).then(async cache => (await cache.match(path)) ?? fetch(event.request)));
});
