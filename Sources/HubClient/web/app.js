// The frame around the screens: address, title, the sync button, the bar of screens, keys.
import { back } from "./address.js";
import * as db from "./db.js";
import { h, morph, morphChildren } from "./dom.js";
import { begin, fetched, follow, kept, listen, state, syncNow, HubError } from "./hub.js";
import { icon } from "./icons.js";
import { keyPressed } from "./keys.js";
import { notice, setStay, STAY } from "./parts.js";
import { released, watchPresses } from "./press.js";
import { closeOver, renew } from "./reminders.js";
import { sendReviewed } from "./reviewed.js";
import { takeShared } from "./shared.js";

const SCREENS = {
  "": "home", agenda: "agenda", item: "entry", capture: "capture", inbox: "inbox", search: "search", files: "files", file: "files",
  tags: "tags", habits: "habits", bundles: "bundles", nearby: "nearby", review: "review", conflicts: "conflicts", refused: "conflicts", holds: "holds", status: "status", devices: "devices",
  history: "history", versions: "versions", settings: "settings", menu: "menu", pair: "pair",
};
const BAR = [["", "Home", "home"], ["agenda", "Agenda", "agenda"], ["capture", "Capture", "plus"], ["files", "Files", "files"], ["search", "Search", "search"]];

const main = document.getElementById("main"), top = document.getElementById("top"), nav = document.getElementById("nav");
let current = null, turn = 0;

/** The screen and its arguments in the address: `#/agenda/2026-11-28/7`. */
function place() {
  const [name = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(part => { try { return decodeURIComponent(part); } catch { return part; } });
  if (location.pathname === "/pair" || !state.paired) return { name: "pair", rest };
  return name in SCREENS ? { name, rest } : { name: "", rest: [] };
}

const load = name => import(`./screens/${name}.js`);

/** The screen shows what the hub says. The first time, the other screens are loaded once the browser has drawn it. */
function isReady() {
  const first = document.documentElement.dataset.ready === undefined;
  document.documentElement.dataset.ready = "";
  if (first) setTimeout(() => void loadAll());
}

let hasScreens = false;

/** Loads all screens: the hub may go away before the service worker is in charge of the page. */
async function loadAll() {
  await Promise.allSettled(Object.values(SCREENS).map(load));
  hasScreens = true;
  markComplete();
}

/** Marks the page once it has all that it needs without the hub: the screens, and the entries if the device is paired. */
function markComplete() {
  if (hasScreens && (state.hasEntries || !state.paired)) document.documentElement.dataset.complete = "";
}

async function show() {
  const mine = ++turn, { name, rest } = place();
  const screen = await load(SCREENS[name]).catch(() => null);
  if (mine !== turn) return;
  if (!screen) return notice("This screen is not on this device yet. Reload the page when the hub can be reached.", null, 60_000);
  const stays = screen.stays && current?.screen === screen;
  current = { screen, name, rest, own: stays ? current.own : {} };
  if (!stays) await screen.enter?.(rest, current.own);
  await draw(mine, !stays);
  if (!stays) window.scrollTo(0, 0);
  if (!stays) focusScreen(screen);
  await refresh(mine);
  if (mine === turn) isReady();
}

/** Focus follows to the new screen, so that keys and screen readers are where the eyes are. */
function focusScreen(screen) {
  if (screen.focus) screen.focus();
  else if (document.documentElement.dataset.ready !== undefined && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
}

let drawing = Promise.resolve();

/** Draws from what this device keeps; one after the other, so that the last word is the newest. */
function draw(mine, fresh = false) {
  const next = drawing.then(() => mine === turn ? drawNow(mine, fresh) : null);
  drawing = next.catch(() => {});
  return next;
}

async function drawNow(mine, fresh) {
  const { screen, rest, own, name } = current;
  const data = {}, at = {};
  for (const path of await needs()) {
    const row = await kept(path);
    if (row) { data[path] = row.value; at[path] = row.at; }
  }
  const problems = current.problems ?? {};
  const view = await screen.view({ data, at, problems, rest, own, redraw: () => draw(turn) });
  await released();
  if (mine !== turn) return;
  const title = typeof screen.title === "function" ? screen.title(rest, { data, own }) : screen.title;
  current.title = title;
  document.title = title === "syncd" ? title : `${title} · syncd`;
  drawTop(title, screen, name);
  drawNav(name);
  const wanted = h("main", {}, view);
  if (fresh) main.replaceChildren();
  main.className = `screen-${SCREENS[name]}`;
  const hadFocus = main.contains(document.activeElement);
  morphChildren(main, wanted);
  // What had the focus has gone: the keyboard and screen readers stay on the screen.
  if (hadFocus && document.activeElement === document.body) main.focus({ preventScroll: true });
}

const needs = async () => (await current.screen.needs?.(current.rest, current.own)) ?? [];

/** Asks the hub for what the screen shows, and draws again where something is new. */
async function refresh(mine) {
  if (!state.paired && current.name !== "pair") return;
  const problems = {};
  await Promise.all((await needs()).map(path => fetched(path).catch(error => {
    if (!(error instanceof HubError)) throw error;
    problems[path] = error;
  })));
  if (mine !== turn) return;
  current.problems = problems;
  await draw(mine);
  const wait = Math.max(...Object.values(problems).map(error => error.retryAfter ?? 0), 0);
  if (wait) setTimeout(() => { if (mine === turn) void refresh(mine); }, 1000 * wait);
}

function drawTop(title, screen, name) {
  const isRoot = BAR.some(([route]) => route === name) && name !== "capture";
  morph(top, h("header", { id: "top" },
    isRoot || name === "pair" ? null : h("button", { class: "icon-button", "aria-label": "Back", onclick: back }, icon("back")),
    h("h1", { class: "title", dir: "auto" }, title),
    name === "pair" ? null : [syncButton(), h("a", { class: "icon-button", href: "#/menu", "aria-label": "More screens" }, icon("more"))]));
}

/** How the sync stands, as an icon, a word and a number. */
export function standing() {
  const waiting = state.queue.length, open = state.refused.length + (state.counts.conflicts ?? 0) + (state.counts.holds ?? 0);
  if (state.syncing) return { kind: "busy", icon: "sync", label: "Syncing", short: "Syncing" };
  if (state.reach === "offline") return { kind: "away", icon: "away", label: `Offline${waiting ? `, ${waiting} waiting` : ""}`, short: waiting ? `${waiting} waiting` : "Offline" };
  if (open) return { kind: "warn", icon: "warn", label: `${open} ${open === 1 ? "thing needs" : "things need"} your decision`, short: `${open} to decide` };
  if (waiting) return { kind: "busy", icon: "sync", label: `${waiting} waiting`, short: `${waiting} waiting` };
  if (state.reach === "unknown") return { kind: "busy", icon: "sync", label: "Connecting", short: "Connecting" };
  if (!state.hasEntries) return { kind: "busy", icon: "sync", label: "Reading entries", short: "Reading" };
  return { kind: "ok", icon: "sync", label: "In sync", short: "In sync" };
}

function syncButton() {
  const now = standing();
  return h("div", { class: `sync ${now.kind}` },
    h("button", { class: "sync-button", onclick: sync, "aria-label": `Sync now. ${now.label}`, title: "Sync now" }, icon(now.icon),
      h("span", { class: "sync-word", "aria-hidden": "true" }, now.short)),
    h("span", { role: "status", class: "unseen" }, now.label));
}

export async function sync() {
  try {
    await syncNow();
    notice(state.queue.length ? "Some edits still wait" : "Everything is sent; the hub syncs its remotes");
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    notice(error.status ? `Not synced: ${error.message}` : `The hub cannot be reached. ${state.queue.length ? "Your edits are kept and sent later." : "What you see is kept on this device."}`);
  }
}

function drawNav(name) {
  nav.hidden = name === "pair";
  const here = name === "file" ? "files" : name;
  morph(nav, h("nav", { id: "nav", "aria-label": "Screens", hidden: nav.hidden }, h("ul", {}, BAR.map(([route, label, drawing]) =>
    h("li", {}, h("a", { href: `#/${route}`, class: route === "capture" ? "capture-button" : null, "aria-current": route === here ? "page" : null },
      icon(drawing), h("span", {}, label)))))));
}

function heard(what) {
  if (what === "data" || what === "alerts") closeOver();
  if (what === "state") markComplete();
  if (!current || what === "alerts") return;
  if (what === "state") drawTop(current.title ?? "syncd", current.screen, current.name);
  else if (what === "refused") notice("The hub did not carry out an edit", { label: "Decide", act: () => { location.hash = "#/refused"; } }, 12_000);
  else if ((place().name === "pair") !== (current.name === "pair")) void show();
  else void draw(turn).then(() => what === "data" ? refresh(turn) : null);
}

async function registerWorker() {
  if (!("serviceWorker" in navigator)) return;
  const policy = self.trustedTypes?.createPolicy("own", { createScriptURL: url => { if (!["/sw.js", "/worker.js"].includes(url)) throw new TypeError("not ours"); return url; } });
  const register = (url, type) => navigator.serviceWorker.register(policy ? policy.createScriptURL(url) : url, { type });
  // Buttons on notifications need the queue, which is a module; not all browsers have workers that are modules.
  const registration = await (self.Notification?.maxActions ? register("/worker.js", "module").catch(() => register("/sw.js")) : register("/sw.js"));
  const offer = worker => worker?.addEventListener("statechange", () => {
    if (worker.state === "installed" && navigator.serviceWorker.controller) {
      notice("A new version is ready", { label: "Use it", act: () => { worker.postMessage("take-over"); } }, 60_000);
    }
  });
  registration.addEventListener("updatefound", () => offer(registration.installing));
  navigator.serviceWorker.addEventListener("message", event => { if (event.data?.route) location.hash = event.data.route; });
  let had = !!navigator.serviceWorker.controller;
  navigator.serviceWorker.addEventListener("controllerchange", () => { if (had) location.reload(); had = true; });
}

async function start() {
  await begin();
  await takeShared();
  setStay(await db.fact("messages") ?? STAY);
  const scheme = await db.fact("scheme");
  if (scheme) document.documentElement.dataset.scheme = scheme;
  listen(heard);
  self.addEventListener("hashchange", () => void show());
  document.addEventListener("keydown", keyPressed);
  watchPresses();
  follow();
  registerWorker().catch(error => notice(`Offline use is not possible in this browser: ${error.message}`));
  await show();
  void navigator.storage?.persist?.();
  void sendReviewed();
  renew().catch(error => { if (!(error instanceof HubError)) notice(`Reminders are off: ${error.message}`); });
}

void start();
