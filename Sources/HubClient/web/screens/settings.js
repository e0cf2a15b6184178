// This device's own settings, then what the hub is set to (to be changed in its settings file).
import * as db from "../db.js";
import { h } from "../dom.js";
import { ago } from "../dates.js";
import { state, HubError } from "../hub.js";
import { help } from "../keys.js";
import { confirmed, notice, section, setStay, STAY } from "../parts.js";
import * as reminders from "../reminders.js";
import * as resources from "../resources.js";

export const title = "Settings";
export const needs = () => [resources.SESSION, resources.SETTINGS];

export async function enter(rest, own) {
  own.scheme = await db.fact("scheme") ?? "";
  own.stay = String(await db.fact("messages") ?? STAY);
  own.keep = String(await db.fact("keep") ?? 2000);
  own.room = await navigator.storage?.estimate?.();
  own.safe = await navigator.storage?.persisted?.();
  own.reminds = await reminders.areOn();
}

export function view({ data, own, at, redraw }) {
  const session = data[resources.SESSION];
  return [
    section("This device", h("form", { class: "form", onsubmit: e => e.preventDefault() },
      h("label", { for: "scheme" }, "Colours"), h("select", { id: "scheme", value: own.scheme, onchange: e => setScheme(e.target.value, own) }, h("option", { value: "" }, "as the system"), h("option", { value: "light" }, "light"), h("option", { value: "dark" }, "dark")),
      h("label", { for: "messages" }, "Messages with Undo stay"), h("select", { id: "messages", value: own.stay, onchange: e => keepMessages(+e.target.value, own) },
        [[`${STAY}`, `${STAY} seconds`], ["20", "20 seconds"], ["60", "a minute"]].map(([value, label]) => h("option", { value }, label))),
      h("label", { for: "keep" }, "Entries for the time without the hub"), h("select", { id: "keep", value: own.keep, onchange: e => { own.keep = e.target.value; void db.setFact("keep", +e.target.value); } },
        [["200", "the first 200"], ["2000", "the first 2,000"], ["100000", "all"]].map(([value, label]) => h("option", { value }, label))),
      h("p", { class: "hint" }, `${own.room?.usage ? `${(own.room.usage / 1_048_576).toFixed(1)} MB are in use here. ` : ""}${own.safe ? "The browser keeps them until you remove them." : "The browser may remove them if it needs room; install the app to prevent that."}`),
      h("div", { class: "buttons" }, h("button", { type: "button", class: "button", onclick: help }, "Keyboard"), h("button", { type: "button", class: "button danger", onclick: forget }, "Forget everything here")))),
    section("Reminders", remindersHere(own, redraw)),
    session && section("The hub", h("dl", { class: "facts" },
      fact("Store", session.store), fact("Inbox", session.inbox?.file), fact("This device", `${session.device?.name} (${session.device?.scope})`), fact("Version", session.version),
      fact("States", `${(session.states?.open ?? []).join(" ")} | ${(session.states?.done ?? []).join(" ")}`), fact("As of", ago(at[resources.SESSION]))),
    h("p", { class: "hint" }, "The hub's settings are changed in its settings file; states and templates come from Emacs.")),
    (data[resources.SETTINGS]?.tables ?? []).map(table),
    (data[resources.SETTINGS]?.desktops ?? []).map(d => h("details", { class: "details", "data-key": `desktop ${d.remote}` }, h("summary", {}, `Desktop, from ${d.remote}`),
      h("dl", {}, fact("States", d.todo.join(" ")), fact("Tags", d.tags.join(" ")), fact("Priorities", d.priorities.join(" "))))),
  ];
}

function remindersHere(own, redraw) {
  const obstacle = reminders.obstacle();
  if (obstacle && !own.reminds) return h("p", { class: "hint" }, obstacle);
  const attempt = async (act, said) => {
    try {
      await act();
      if (said) notice(said);
    } catch (error) { notice(`Not done: ${error instanceof HubError && !error.status ? "the hub cannot be reached" : error.message}`); }
    own.reminds = await reminders.areOn();
    await redraw();
  };
  const button = (label, act, said) => h("button", { type: "button", class: "button", "data-action": label, onclick: () => void attempt(act, said) }, label);
  return [
    h("p", { class: "hint" }, own.reminds ? obstacle ?? "The dates of entries are announced on this device, also while the app is closed." : "Be reminded of dates on this device, also while the app is closed. The text is encrypted for this device; the browser's push service learns only when a reminder is sent."),
    h("div", { class: "buttons" }, own.reminds
      ? [button("Send a test", reminders.sendTest, "A test message is on its way"), button("Switch reminders off", reminders.switchOff, "Reminders are off")]
      : button("Switch reminders on", reminders.switchOn, "Reminders are on")),
  ];
}

/** A table of the settings file: what is in effect, and where it was set. */
const table = t => h("details", { class: "details", "data-key": t.table }, h("summary", {}, `[${t.table}]`),
  h("dl", {}, t.settings.map(s => [h("dt", {}, s.key), h("dd", { dir: "auto" }, s.value === null ? "none" : typeof s.value === "string" ? s.value : JSON.stringify(s.value),
    s.origin === "default" ? null : h("span", { class: "hint origin" }, s.origin))])));

const fact = (name, value) => value ? [h("dt", {}, name), h("dd", { dir: "auto" }, value)] : null;

async function setScheme(value, own) {
  own.scheme = value;
  await db.setFact("scheme", value);
  if (value) document.documentElement.dataset.scheme = value;
  else delete document.documentElement.dataset.scheme;
}

async function keepMessages(seconds, own) {
  own.stay = String(seconds);
  setStay(seconds);
  await db.setFact("messages", seconds);
}

async function forget() {
  const waiting = state.queue.length + state.refused.length;
  if (!await confirmed("Forget everything on this device?", waiting ? `${waiting} ${waiting === 1 ? "edit" : "edits"} that the hub does not have would be lost.` : "It is read again from the hub. Nothing in the store changes.", "Forget")) return;
  await db.forget();
  notice("Forgotten");
  location.assign("/");
}
