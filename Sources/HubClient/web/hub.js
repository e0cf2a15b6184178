// The connection to the hub: what was read is kept for later, what was edited goes out in numbered batches, each once.
import * as db from "./db.js";
import { applied, captured, inverse, DEFAULT_STATES } from "./edits.js";
import * as resources from "./resources.js";

const API = "/api/v1";

/** This device's state; screens read it, `announce` tells them that it changed. */
export const state = {
  paired: true, reach: "unknown", syncing: false, lastContact: null, client: null, seen: 0, states: DEFAULT_STATES,
  queue: [], refused: [], counts: {}, updateReady: null,
  /** True once this page has read the entries that the device keeps for the time without the hub. */
  hasEntries: false,
};

const listeners = new Set();
/** Calls `listener` with "state" (the marks at the top), "local" (draw again), "data" (the hub has news), "alerts" (a reminder was put off) or
    "refused" (an edit was not carried out). */
export const listen = listener => { listeners.add(listener); return () => listeners.delete(listener); };
const announce = what => { for (const one of listeners) one(what); };
const channel = "BroadcastChannel" in self ? new BroadcastChannel("syncd") : null;
const tellTabs = what => channel?.postMessage(what);

/** What the hub answered when it did not do as asked; `status` 0 means that it could not be reached. */
export class HubError extends Error {
  constructor(status, problem = {}) {
    const details = (problem.errors ?? []).map(e => e.detail).filter(Boolean);
    super([problem.detail ?? problem.title ?? (status ? `the hub answered ${status}` : "the hub cannot be reached"), ...details].join("; "));
    this.status = status;
    this.problem = problem;
    this.type = String(problem.type ?? "").split("/").pop();
  }
}

/** One request; JSON in and out. */
export async function ask(method, path, body, headers = {}) {
  let answer;
  try {
    answer = await fetch(API + path, {
      method, cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout(30_000),
      headers: { Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    reached(false);
    throw new HubError(0);
  }
  reached(true);
  if (answer.status === 304) return { status: 304 };
  const text = await answer.text();
  let value = null;
  try { value = text ? JSON.parse(text) : null; } catch { value = { detail: text.slice(0, 200) }; }
  if (!answer.ok) {
    const error = new HubError(answer.status, value ?? {});
    error.retryAfter = +(answer.headers.get("Retry-After") ?? 0);
    if (answer.status === 401 && path !== "/pair") await unpaired(error);
    throw error;
  }
  return { status: answer.status, value, etag: answer.headers.get("ETag") };
}

function reached(yes) {
  const reach = yes ? "online" : "offline";
  if (yes) state.lastContact = Date.now();
  if (state.reach === reach) return;
  state.reach = reach;
  announce("state");
}

async function unpaired(error) {
  if (error.type === "revoked") {
    await db.forget();
    Object.assign(state, { queue: [], refused: [], client: null });
  }
  if (!state.paired) return;
  state.paired = false;
  await db.setFact("paired", false);
  announce("data");
}

// -- reading ---------------------------------------------------------------------------------------------------------------

/** What is kept of a resource: `{value, at, etag}` or undefined. */
export const kept = path => db.get("cache", path);

/** Fetches a resource and keeps it; gives what was kept if the hub has nothing newer. */
export async function fetched(path) {
  const before = await kept(path);
  let answer;
  try {
    answer = await ask("GET", path, undefined, before?.etag ? { "If-None-Match": before.etag } : {});
  } catch (error) {
    if (!(error instanceof HubError) || !await learnedName(path, error)) throw error;
    return fetched(resources.itemPath(error.problem.id));
  }
  const isNew = answer.status !== 304, value = isNew ? answer.value : before.value;
  // An entry that was removed and came back is known from a list only, although the answer about it is the one from before.
  if (isNew || resources.askedItem(path)) await db.transaction(["cache", "items"], async s => {
    if (isNew) await s.cache.put({ path, value, etag: answer.etag, at: Date.now() });
    for (const item of resources.itemsIn(path, value)) await s.items.put(resources.merged(await s.items.get(item.id), item));
  });
  return value;
}

/** The hub says under which id it has an entry now, whose title or place changed. */
async function learnedName(path, error) {
  const asked = resources.askedItem(path), id = error.problem.id;
  if (error.status !== 404 || !asked || !id || id === asked) return false;
  await db.transaction(["names", "items"], async s => {
    await s.names.put({ local: asked, id });
    if ((await s.names.get(id))?.id) await s.names.delete(id);
    await s.items.delete(asked);
  });
  return true;
}

/** The id by which the hub knows an entry now: one that was captured here, or whose title changed, got another. */
export const resolved = id => db.transaction("names", s => newestName(s.names, id), "readonly");

async function newestName(names, id) {
  for (let seen = new Set([id]), next; (next = (await names.get(id))?.id) && !seen.has(next); seen.add(next)) id = next;
  return id;
}

/** The entry as this device sees it: the hub's, with the waiting edits on top; null if it is not known. */
export async function entry(id) {
  const own = state.queue.flatMap(r => r.patches).find(p => p.op === "add" && p.id === id);
  // In one step: the hub may give the entry another id at any time.
  const known = await db.transaction(["names", "items"], async s => s.items.get(await newestName(s.names, id)), "readonly");
  const base = known ?? (own && captured(own, state.states));
  return base ? onTop(base) : null;
}

const locked = () => state.refused.filter(r => r.result.result === "locked");
const patchesFor = id => [...locked().map(r => r.patch), ...state.queue.flatMap(r => r.patches)].filter(p => p.id === id && p.op !== "add" && p.op !== "copy");

/** An entry of the hub with this device's waiting edits on top; null if they remove it. */
export const onTop = item => applied(item, patchesFor(item.id), state.states);

/** The entries of a list of the hub as they are now: an answer to an edit is newer than a list that was read before. Those that were removed, or
    moved to another file, are left out. */
export async function present(list) {
  const found = await db.transaction(["names", "items"], async s => {
    const now = [];
    for (const { id } of list) now.push(await s.items.get(await newestName(s.names, id)));
    return now;
  }, "readonly");
  return found.map((item, index) => item?.file === list[index].file ? onTop(item) : null).filter(i => i && !i.movedTo);
}

/** The entries captured here that the hub does not have yet. */
export const capturedHere = () => state.queue.flatMap(r => r.patches).filter(p => p.op === "add")
  .map(p => onTop(captured(p, state.states))).filter(Boolean);

/** All entries that this device knows, with waiting edits; without those that the hub has lost. */
export async function knownEntries() {
  return [...capturedHere(), ...(await db.all("items")).map(onTop).filter(Boolean)];
}

export const touched = () => new Set([...locked().map(r => r.patch), ...state.queue.flatMap(r => r.patches)].map(p => p.id));

// -- writing ---------------------------------------------------------------------------------------------------------------

/** Records edits on this device, whether or not the hub is there; gives a token for `undo`. */
export const record = (...patches) => recorded(patches);

/** Records an edit unless one was recorded with this mark before, by this or another tab or worker; gives null then. */
export const recordOnce = (mark, patch) => recorded([patch], `once ${mark}`);

async function recorded(patches, mark = null) {
  const at = new Date().toISOString();
  const row = await db.transaction(["queue", "facts"], async s => {
    if (mark && await s.facts.get(mark)) return null;
    if (mark) await s.facts.put({ key: mark, value: Date.now() });
    const number = (await s.facts.get("next"))?.value ?? 1;
    const row = { number, token: crypto.randomUUID(), made: Date.now(), patches: patches.map(p => ({ ...p, at })) };
    await s.queue.put(row);
    await s.facts.put({ key: "next", value: number + 1 });
    return row;
  });
  if (!row) return null;
  state.queue.push(row);
  announce("state");
  announce("local");
  tellTabs("queue");
  void send();
  return row.token;
}

/** An id for an entry that only this device knows so far. */
export const localId = () => `n${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;

const donePatches = new Map(), passes = new Map();

/** Undoes a batch: takes it from the queue if it was never sent, and what the hub refused of it from the list of refused edits; else by
    the opposite patches, else by the hub's history. */
export async function undo(token) {
  const { isRemoved, isUnderWay } = await db.transaction(["queue", "facts", "refused"], async s => {
    const row = (await s.queue.all()).find(r => r.token === token);
    if (row && !row.tried) await withdrawn(s, row);
    // A locked edit would be sent again later.
    const refused = (await s.refused.all()).filter(r => r.token && r.token === token);
    for (const one of refused) await s.refused.delete(one.key);
    return { isRemoved: row ? !row.tried : refused.length > 0, isUnderWay: !!row?.tried };
  });
  // The hub may have carried it out already; only its answer says how to take it back.
  if (isUnderWay) await send();
  if (isRemoved) {
    await readQueue();
    announce("state"); announce("local"); tellTabs("queue");
    if (!donePatches.get(token)?.length) return;
  }
  const opposite = (donePatches.get(token) ?? state.queue.find(r => r.token === token)?.patches ?? []).map(inverse);
  if (opposite.length && opposite.every(Boolean)) return void await record(...opposite.reverse());
  const pass = passes.get(token);
  if (!pass) throw new HubError(0, { detail: "the hub has to be reached to undo this" });
  const { value } = await ask("POST", `/passes/${pass}/undo`, {});
  if (value?.failed?.length) throw new HubError(409, { detail: value.failed.join("; ") });
  changes++;
  announce("data");
  keepEntries().catch(tryAgain);
}

/** Takes a batch that was never sent out of the queue. The numbers after it move up, so that none is missing. */
async function withdrawn(s, row) {
  const later = (await s.queue.all()).filter(r => r.number > row.number).sort((a, b) => a.number - b.number);
  for (const one of [row, ...later]) await s.queue.delete(one.number);
  for (const one of later) await s.queue.put({ ...one, number: one.number - 1 });
  await s.facts.put({ key: "next", value: row.number + later.length });
}

let again, sending, attempts = 0, retriedAt = 0;
/** How often entries changed without the hub saying which, up to which of these changes this device has read them, and when. */
let changes = 1, changesRead = 0, keptAt = 0;

/** Sends the queue in its order, until it is empty or the hub does not answer. Runs once at a time, over all tabs. */
export function send() {
  sending ??= withLock("send", sendAll).finally(() => { sending = null; });
  return sending;
}

const withLock = (name, work) => navigator.locks ? navigator.locks.request(`syncd-${name}`, work) : work();

async function sendAll() {
  clearTimeout(again);
  if (!state.paired) return;
  let sent = 0;
  try {
    if (state.reach !== "online" && state.queue.length) await probe();
    for (let row; await prepared(), row = await nextRow(); sent++) await (isTooOld(row) ? wholeRefused(row, TOO_OLD) : sendOne(row));
    attempts = 0;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    // What is not decided stays in the queue; a hub that is away tells by the stream when it is back.
    if (error.status && error.status !== 401) again = setTimeout(() => void send(), 1000 * Math.max(error.retryAfter ?? 0, Math.min(15, 2 ** attempts++)));
  } finally {
    const before = new Set(state.refused.map(r => r.key));
    await readQueue();
    if (sent) { tellTabs("queue"); announce("data"); }
    if (state.refused.some(r => !before.has(r.key) && r.result.result !== "locked")) announce("refused");
  }
}

/** Asks whether the hub is there before a batch is given to the network: what was never given can still be taken back. */
async function probe() {
  await ask("GET", resources.SESSION);
}

/** Removing an entry needs its revision, which the hub has to say first if the entry was captured or edited here. */
async function prepared() {
  const row = (await db.all("queue")).sort((a, b) => a.number - b.number)[0];
  for (const p of row?.tried ? [] : row?.patches ?? []) {
    if (p.op !== "remove" || p.revision) continue;
    try { await fetched(resources.itemPath(await resolved(p.id))); } catch (error) {
      if (!(error instanceof HubError) || error.status !== 404) throw error;
      // There is nothing to remove, and the edits behind it must not wait.
      await db.transaction(["queue", "facts"], async s => {
        const now = (await s.queue.all()).find(r => r.number === row.number && r.token === row.token);
        if (now && !now.tried) await withdrawn(s, now);
      });
      return prepared();
    }
  }
}

/** The first batch that waits. From now on it may have reached the hub, so it is never changed again. */
const nextRow = () => db.transaction(["queue", "names", "items"], async s => {
  const row = (await s.queue.all()).sort((a, b) => a.number - b.number)[0];
  if (!row || row.tried) return row;
  const names = new Map((await s.names.all()).map(n => [n.local, n.id]));
  const real = id => { for (let left = names.size; names.has(id) && left; left--) id = names.get(id); return id; };
  const named = { ...row, tried: true, triedAt: Date.now(), patches: row.patches.map(p => resources.renamed(p, real)) };
  for (const p of named.patches) if (p.op === "remove" && !p.revision) p.revision = (await s.items.get(p.id))?.subtreeRevision;
  await s.queue.put(named);
  return named;
});

/** The hub may not remember any longer whether it carried out a batch that was sent a year ago, so it is not repeated by itself. */
const isTooOld = row => Date.now() - row.triedAt > 365 * 86_400_000;
const TOO_OLD = new Error("It was sent more than a year ago, and the answer was lost. Look whether the hub has it before you send it again.");

async function sendOne(row) {
  const body = { client: await clientId(), number: row.number, seen: state.seen, patches: row.patches.map(resources.outgoing) };
  let answer;
  try {
    answer = (await ask("POST", "/batches", body)).value;
  } catch (error) {
    if (error.status === 409 && ["gap", "reused"].includes(error.type)) return renumber(error.problem.expected, row.number);
    if ([400, 403, 404, 413, 415, 422].includes(error.status)) return wholeRefused(row, error);
    throw error;
  }
  await conclude(row, answer);
}

/** Keeps the hub's answer, and what it refused, in the same step in which the batch leaves the queue. */
async function conclude(row, answer) {
  await db.transaction(["queue", "items", "names", "refused", "facts"], async s => {
    for (const [index, result] of (answer.results ?? []).entries()) await keepResult(s, row, row.patches[index], result, index);
    await s.queue.delete(row.number);
    if (answer.batch) await s.facts.put({ key: "seen", value: answer.batch });
  });
  if (answer.batch) state.seen = answer.batch;
  const results = answer.results ?? [];
  const done = row.patches.map((patch, index) => ({ patch, ...results[index] })).filter(r => ["applied", "merged"].includes(r.result));
  donePatches.set(row.token, done.every(isAsAsked) ? done.map(r => r.patch) : []);
  passes.set(row.token, answer.pass);
}

/** Whether the entry has the state that the edit wanted. One that repeats has its former state with later dates, which only the history takes back. */
const isAsAsked = ({ patch, item }) => !patch.fields?.todo || !item || item.todo === patch.fields.todo.new;

async function keepResult(s, row, patch, result, index) {
  const item = result.item ? resources.item(result.item) : null;
  const id = result.id ?? item?.id, done = ["applied", "merged", "unchanged"].includes(result.result);
  if (done && id && id !== patch.id && patch.op !== "copy") {
    await s.names.put({ local: patch.id, id });
    // The way back, if a title returns to what it was.
    if ((await s.names.get(id))?.id) await s.names.delete(id);
  }
  if (item) await s.items.put(newer(item, await s.items.get(item.id) ?? await s.items.get(patch.id), patch));
  if (done) {
    if (["archive", "remove"].includes(patch.op) || item && item.id !== patch.id) await s.items.delete(patch.id);
    return;
  }
  const title = (await s.items.get(patch.id))?.title ?? "";
  await s.refused.put({ key: `${row.made}.${row.number}.${index}`, token: row.token, patch, result: { ...result, item }, title, at: Date.now(), made: row.made });
}

/** The hub's answer over what was known. It has no text; the text that was known is kept, with the edit that was carried out. */
function newer(item, known, patch) {
  const body = patch.op === "edit" || patch.op === "check" ? applied(known ?? {}, [patch]).body : known?.body;
  const { subtreeRevision, ...rest } = known ?? {};
  return { ...rest, ...(body === undefined ? {} : { body }), ...item };
}

async function wholeRefused(row, error) {
  await db.transaction(["queue", "refused", "items"], async s => {
    for (const [index, patch] of row.patches.entries()) {
      const title = (await s.items.get(patch.id))?.title ?? "";
      await s.refused.put({ key: `${row.made}.${row.number}.${index}`, token: row.token, patch, result: { result: "refused", detail: error.message }, title, at: Date.now() });
    }
    await s.queue.delete(row.number);
  });
}

/** The hub expects another number. Numbers that it has never seen are given again; a device restored from a backup becomes another. */
async function renumber(expected, number) {
  const restored = !(expected <= number);
  await db.transaction(["queue", "facts"], async s => {
    const rows = (await s.queue.all()).sort((a, b) => a.number - b.number);
    let next = restored ? 1 : expected;
    await s.queue.clear();
    for (const row of rows) await s.queue.put({ ...row, number: next++ });
    await s.facts.put({ key: "next", value: next });
    if (restored) await s.facts.put({ key: "client", value: crypto.randomUUID() });
  });
  if (restored) state.client = null;
}

async function clientId() {
  state.client ??= await db.transaction("facts", async s => {
    const known = (await s.facts.get("client"))?.value;
    if (known) return known;
    const made = crypto.randomUUID();
    await s.facts.put({ key: "client", value: made });
    return made;
  });
  return state.client;
}

/** Removes a refused edit from the list: the person decided. */
export async function decided(key) {
  await db.remove("refused", key);
  await readQueue();
  announce("local");
}

/** Sends again what could not be written while an editor had unsaved changes. */
async function retryLocked() {
  const rows = locked();
  if (!rows.length || Date.now() - retriedAt < 10_000) return;
  retriedAt = Date.now();
  setTimeout(() => void retryLocked(), 30_000);
  await resend(rows.map(row => row.key));
}

/** Moves refused edits back to the queue, each once: another tab, or the person, may have decided about it meanwhile. */
export async function resend(keys) {
  await db.transaction(["refused", "queue", "facts"], async s => {
    let number = (await s.facts.get("next"))?.value ?? 1;
    for (const key of keys) {
      const row = await s.refused.get(key);
      if (!row) continue;
      await s.queue.put({ number, token: row.token ?? crypto.randomUUID(), made: row.made ?? row.at, patches: [row.patch] });
      await s.refused.delete(key);
      number++;
    }
    await s.facts.put({ key: "next", value: number });
  });
  await readQueue();
  announce("local");
  tellTabs("queue");
  await send();
}

async function readQueue() {
  state.queue = (await db.all("queue")).sort((a, b) => a.number - b.number);
  state.refused = (await db.all("refused")).sort((a, b) => a.at - b.at);
  announce("state");
}

// -- staying in touch ------------------------------------------------------------------------------------------------------

/** Reads what this device keeps, and learns what other tabs and the worker do with it; nothing here waits for the network. */
export async function begin() {
  await recall();
  channel?.addEventListener("message", async event => {
    if (event.data === "queue") { await readQueue(); announce("data"); } else if (event.data === "data") announce("data");
  });
}

/** Reads what this device keeps. A worker, which may sleep between two events, does so at each of them. */
export async function recall() {
  const facts = new Map((await db.all("facts")).map(f => [f.key, f.value]));
  state.client = facts.get("client") ?? null;
  state.seen = facts.get("seen") ?? 0;
  state.states = facts.get("states") ?? DEFAULT_STATES;
  state.paired = facts.get("paired") ?? false;
  state.counts = facts.get("counts") ?? {};
  state.reach = "unknown";
  await readQueue();
}

/** Pairs this device by the code of a link; the answer sets the cookie. */
export async function paired() {
  state.paired = true;
  await db.setFact("paired", true);
  follow();
}

let following = false;

/** Holds the stream, in one tab of all, and does what has to be done when the hub is there again. */
export function follow() {
  if (following || !state.paired) return;
  following = true;
  void caughtUp();
  self.addEventListener("online", () => void caughtUp());
  self.addEventListener("offline", () => reached(false));
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") void caughtUp(); });
  void withLock("stream", holdStream);
}

function holdStream() {
  return new Promise(() => {
    let source;
    const connect = () => {
      if (!state.paired) return void setTimeout(connect, 2000);
      source = new EventSource(`${API}/events`);
      source.onopen = () => { reached(true); void caughtUp(); };
      source.onerror = () => {
        // Closed for good means that the hub answered with a refusal; another request says which one.
        if (source.readyState !== EventSource.CLOSED) return reached(false);
        setTimeout(connect, 3000);
        probe().catch(error => { if (!(error instanceof HubError)) throw error; });
      };
      for (const kind of ["batch", "change", "device"]) source.addEventListener(kind, heard);
      source.addEventListener("alert", () => announce("alerts"));
    };
    connect();
  });
}

let hearing;
const named = new Set();
function heard(event) {
  reached(true);
  let news = {};
  try { news = JSON.parse(event.data); } catch { /* an event without a body says only that something happened */ }
  // The answer to a batch of this device says more than the event that it caused, and arrives at about the same time.
  if (news.client && news.client === state.client) return;
  for (const id of news.items ?? []) named.add(id);
  if (!news.items && event.type !== "device") changes++;
  clearTimeout(hearing);
  hearing = setTimeout(() => void afterNews(), 150);
}

async function afterNews() {
  announce("data");
  tellTabs("data");
  try {
    await countUp();
    const ids = [...named].slice(0, 20);
    if (named.size > ids.length) changes++;
    named.clear();
    for (const id of ids) await refetched(id);
    await retryLocked();
    if (changesRead < changes) await keepEntries();
  } catch (error) { tryAgain(error); }
}

/** One entry that changed elsewhere; what the hub does not have now is forgotten, unless an edit of it waits. */
async function refetched(id) {
  try { await fetched(resources.itemPath(await resolved(id))); } catch (error) {
    if (error.status !== 404 || touched().has(id)) { if (error.status !== 404) throw error; return; }
    await db.remove("items", id);
  }
}

let catching = null, rereading, refusals = 0;

/** Reads later what the hub refused to say now, for example because it is busy. A hub that is away tells by the stream when it is back. */
function tryAgain(error) {
  if (!(error instanceof HubError)) throw error;
  if (!error.status || error.status === 401) return;
  clearTimeout(rereading);
  rereading = setTimeout(() => void caughtUp(), 1000 * Math.max(error.retryAfter ?? 0, Math.min(300, 5 * 2 ** refusals++)));
}

/** Sends what waits, then reads what changed. */
export function caughtUp() {
  catching ??= (async () => {
    await send();
    await retryLocked();
    await learn();
    announce("data");
  })().catch(tryAgain).finally(() => { catching = null; });
  return catching;
}

/** The sync button: the queue, a pass of the hub, and a fresh screen. */
export async function syncNow() {
  state.syncing = true;
  announce("state");
  try {
    await send();
    await ask("POST", "/sync", {});
    changes++;
    await learn();
  } finally {
    state.syncing = false;
    announce("state");
    announce("data");
  }
}

/** What the device keeps for the time without the hub. */
async function learn() {
  await countUp();
  for (const path of resources.kept()) {
    try { await fetched(path); } catch (error) { if (!(error instanceof HubError) || !error.status) throw error; }
  }
  const session = (await kept(resources.SESSION))?.value;
  if (session?.states) { state.states = session.states; await db.setFact("states", session.states); }
  if (changesRead < changes || Date.now() - keptAt > 600_000) await keepEntries();
  await tidy();
}

/** Pages of all entries, up to the amount that the person chose. */
async function keepEntries() {
  const upTo = changes, most = (await db.fact("keep")) ?? 2000, seen = new Set();
  let path = resources.firstPage;
  while (path && seen.size < most) {
    const { items, next } = resources.page((await ask("GET", path)).value);
    await db.transaction("items", async s => { for (const item of items) await s.items.put(resources.merged(await s.items.get(item.id), item)); });
    for (const item of items) seen.add(item.id);
    path = next;
  }
  if (!path) await forgetOthers(seen);
  keptAt = Date.now();
  changesRead = Math.max(changesRead, upTo);
  refusals = 0;
  state.hasEntries = true;
  announce("state");
}

/** The store has no entries but these, and those that are edited here. */
async function forgetOthers(seen) {
  const ours = touched();
  await db.transaction("items", async s => { for (const item of await s.items.all()) if (!seen.has(item.id) && !ours.has(item.id)) await s.items.delete(item.id); });
  announce("local");
}

/** Removes answers that were not asked for within a month, and the marks of edits that old. */
async function tidy() {
  const isOld = at => Date.now() - at > 30 * 86_400_000;
  await db.transaction(["cache", "facts"], async s => {
    for (const row of await s.cache.all()) if (isOld(row.at)) await s.cache.delete(row.path);
    for (const row of await s.facts.all()) if (row.key.startsWith("once ") && isOld(row.value)) await s.facts.delete(row.key);
  });
}

async function countUp() {
  const status = await fetched(resources.STATUS).catch(error => { if (error instanceof HubError) return null; throw error; });
  if (!status) return;
  state.counts = resources.counts(status);
  await db.setFact("counts", state.counts);
  announce("state");
}
