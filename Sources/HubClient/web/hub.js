// The line to the hub: what was read is kept for later, what was edited goes out in numbered batches, each once.
import * as db from "./db.js";
import { applied, captured, inverse, DEFAULT_STATES } from "./edits.js";
import * as resources from "./resources.js";

const API = "/api/v1";

/** How this device stands; screens read it, `announce` tells them that it changed. */
export const state = {
  paired: true, reach: "unknown", syncing: false, lastContact: null, client: null, seen: 0, states: DEFAULT_STATES,
  queue: [], refused: [], counts: {}, updateReady: null,
};

const listeners = new Set();
/** Calls `listener` with "state" (the marks at the top) or "data" (a screen should look again). */
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
  const answer = await ask("GET", path, undefined, before?.etag ? { "If-None-Match": before.etag } : {});
  if (answer.status === 304) return before.value;
  await db.transaction(["cache", "items"], async s => {
    await s.cache.put({ path, value: answer.value, etag: answer.etag, at: Date.now() });
    for (const item of resources.itemsIn(path, answer.value)) {
      const known = await s.items.get(item.id);
      await s.items.put({ ...known, ...item });
    }
  });
  return answer.value;
}

/** The entry as this device sees it: the hub's, with the waiting edits on top; null if it is not known. */
export async function entry(id) {
  const real = (await db.get("names", id))?.id ?? id;
  const own = state.queue.flatMap(r => r.patches).find(p => p.op === "add" && p.id === id);
  const base = (await db.get("items", real)) ?? (own && captured(own, state.states));
  return base ? onTop(base) : null;
}

const patchesFor = id => state.queue.flatMap(r => r.patches).filter(p => p.id === id && p.op !== "add" && p.op !== "copy");

/** An entry of the hub with this device's waiting edits on top; null if they remove it. */
export const onTop = item => applied(item, patchesFor(item.id), state.states);

/** The entries captured here that the hub does not have yet. */
export const capturedHere = () => state.queue.flatMap(r => r.patches).filter(p => p.op === "add")
  .map(p => onTop(captured(p, state.states))).filter(Boolean);

/** All entries that this device knows, with waiting edits; without those that the hub has lost. */
export async function knownEntries() {
  return [...capturedHere(), ...(await db.all("items")).map(onTop).filter(Boolean)];
}

export const touched = () => new Set(state.queue.flatMap(r => r.patches).map(p => p.id));

// -- writing ---------------------------------------------------------------------------------------------------------------

/** Records edits on this device, whether or not the hub is there; gives the number of their batch. */
export async function record(...patches) {
  const at = new Date().toISOString();
  const row = await db.transaction(["queue", "facts"], async s => {
    const number = (await s.facts.get("next"))?.value ?? 1;
    const row = { number, made: Date.now(), patches: patches.map(p => ({ ...p, at })) };
    await s.queue.put(row);
    await s.facts.put({ key: "next", value: number + 1 });
    return row;
  });
  state.queue.push(row);
  announce("state");
  announce("data");
  tellTabs("queue");
  void send();
  return row.number;
}

/** An id for an entry that only this device knows so far. */
export const localId = () => `n${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;

const passes = new Map();

/** Takes a batch back: from the queue if it was never sent, else by the opposite patches, else by the hub's history. */
export async function undo(number) {
  const removed = await db.transaction("queue", async s => {
    const row = await s.queue.get(number);
    if (!row || row.tried) return false;
    await s.queue.delete(number);
    return true;
  });
  if (removed) {
    state.queue = state.queue.filter(r => r.number !== number);
    announce("state"); announce("data"); tellTabs("queue");
    return;
  }
  const sent = passes.get(number) ?? { patches: state.queue.find(r => r.number === number)?.patches ?? [] };
  const opposite = sent.patches.map(inverse);
  if (opposite.length && opposite.every(Boolean)) return void await record(...opposite.reverse());
  if (!sent.pass) throw new HubError(0, { detail: "the hub has to be reached to undo this" });
  await ask("POST", `/passes/${sent.pass}/undo`, {});
  announce("data");
}

let again, sending;

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
    for (let row; (row = await nextRow()); sent++) await sendOne(row);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    // What is not decided stays in the queue; a hub that is away tells by the stream when it is back.
    if (error.status && error.status !== 401) again = setTimeout(() => void send(), Math.max(1, error.retryAfter ?? 1) * 1000);
  } finally {
    await readQueue();
    if (sent) { tellTabs("queue"); announce("data"); }
  }
}

/** The first batch that waits. From now on it may have reached the hub, so it is never changed again. */
const nextRow = () => db.transaction(["queue", "names"], async s => {
  const row = (await s.queue.all()).sort((a, b) => a.number - b.number)[0];
  if (!row || row.tried) return row;
  const names = new Map((await s.names.all()).map(n => [n.local, n.id]));
  const real = id => names.get(id) ?? id;
  const named = { ...row, tried: true, patches: row.patches.map(p => resources.renamed(p, real)) };
  await s.queue.put(named);
  return named;
});

async function sendOne(row) {
  const body = { client: await clientId(), number: row.number, seen: state.seen, patches: row.patches.map(resources.outgoing) };
  let answer;
  try {
    answer = (await ask("POST", "/batches", body)).value;
  } catch (error) {
    if (error.status === 409 && error.type === "gap") return renumber(error.problem.expected, row.number);
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
  passes.set(row.number, { pass: answer.pass, patches: row.patches });
}

async function keepResult(s, row, patch, result, index) {
  const item = result.item ? resources.item(result.item) : null;
  const id = result.id ?? item?.id;
  if (patch.op === "add" && id && id !== patch.id) await s.names.put({ local: patch.id, id });
  if (item) await s.items.put({ ...(await s.items.get(item.id)), ...item });
  if (["applied", "merged", "waiting"].includes(result.result)) {
    if (["archive", "remove"].includes(patch.op)) await s.items.delete(patch.id);
    return;
  }
  const title = (await s.items.get(patch.id))?.title ?? "";
  await s.refused.put({ key: `${row.made}.${row.number}.${index}`, patch, result: { ...result, item }, title, at: Date.now() });
}

async function wholeRefused(row, error) {
  await db.transaction(["queue", "refused", "items"], async s => {
    for (const [index, patch] of row.patches.entries()) {
      const title = (await s.items.get(patch.id))?.title ?? "";
      await s.refused.put({ key: `${row.made}.${row.number}.${index}`, patch, result: { result: "refused", detail: error.message }, title, at: Date.now() });
    }
    await s.queue.delete(row.number);
  });
}

/** The hub expects another number. Numbers that it has never seen are given anew; a device restored from a backup becomes another. */
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
  announce("data");
}

async function readQueue() {
  state.queue = (await db.all("queue")).sort((a, b) => a.number - b.number);
  state.refused = (await db.all("refused")).sort((a, b) => a.at - b.at);
  announce("state");
}

// -- staying in touch ------------------------------------------------------------------------------------------------------

/** Reads what this device keeps; nothing here waits for the network. */
export async function begin() {
  const facts = new Map((await db.all("facts")).map(f => [f.key, f.value]));
  state.client = facts.get("client") ?? null;
  state.seen = facts.get("seen") ?? 0;
  state.states = facts.get("states") ?? DEFAULT_STATES;
  state.paired = facts.get("paired") ?? false;
  state.counts = facts.get("counts") ?? {};
  await readQueue();
  channel?.addEventListener("message", async event => {
    if (event.data === "queue") { await readQueue(); announce("data"); } else if (event.data === "data") announce("data");
  });
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
        reached(false);
        if (source.readyState === EventSource.CLOSED) setTimeout(connect, 3000);
      };
      for (const kind of ["batch", "pass", "conflict", "hold", "clock", "device", "resync", "change"]) source.addEventListener(kind, heard);
    };
    connect();
  });
}

let hearing;
function heard() {
  reached(true);
  clearTimeout(hearing);
  hearing = setTimeout(() => { announce("data"); tellTabs("data"); void countUp(); }, 120);
}

let catching = null;

/** Sends what waits, then reads what changed. */
export function caughtUp() {
  catching ??= (async () => {
    await send();
    await learn();
    announce("data");
  })().catch(error => { if (!(error instanceof HubError)) throw error; }).finally(() => { catching = null; });
  return catching;
}

/** The sync button: the queue, a pass of the hub, and everything on the screen anew. */
export async function syncNow() {
  state.syncing = true;
  announce("state");
  try {
    await send();
    await ask("POST", "/sync", {});
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
  await keepEntries();
}

/** Pages of all entries, up to the amount that the person chose. */
async function keepEntries() {
  const most = (await db.fact("keep")) ?? 2000;
  let path = resources.firstPage, count = 0;
  while (path && count < most) {
    const answer = await ask("GET", path);
    const { items, next } = resources.page(answer.value);
    await db.transaction("items", async s => { for (const item of items) await s.items.put({ ...(await s.items.get(item.id)), ...item }); });
    count += items.length;
    path = next;
  }
}

async function countUp() {
  const status = await fetched(resources.STATUS).catch(error => { if (error instanceof HubError) return null; throw error; });
  if (!status) return;
  state.counts = resources.counts(status);
  await db.setFact("counts", state.counts);
  announce("state");
}
