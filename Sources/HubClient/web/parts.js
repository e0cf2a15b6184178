// What several screens share: rows, sheets, messages, empty and error states.
import { h } from "./dom.js";
import { human, humanStamp, parts, repeater, today, daysBetween } from "./dates.js";
import { inWords } from "./edits.js";
import { record, state, undo, HubError } from "./hub.js";
import { icon } from "./icons.js";

// -- messages ------------------------------------------------------------------------------------------------------------

/** How long a message stays, in seconds, unless this device has another setting. */
export const STAY = 6;

let stay = STAY;
export const setStay = seconds => { stay = seconds; };

/** Shows a message for a while, with a button if there is something to do. */
export function notice(text, button = null, milliseconds = stay * 1000) {
  const toasts = document.getElementById("toasts");
  const toast = h("div", { class: "toast" }, h("span", { dir: "auto" }, text),
    button && h("button", { class: "text-button", onclick: () => { toast.remove(); button.act(); } }, button.label));
  toasts.replaceChildren(toast);
  let timer = setTimeout(() => toast.remove(), milliseconds);
  // The message stays while its button has the focus.
  toast.addEventListener("focusin", () => clearTimeout(timer));
  toast.addEventListener("focusout", () => { timer = setTimeout(() => toast.remove(), milliseconds); });
}

let takeLastBack = null;

/** Takes the last edit of this page back, also after its message has gone; false if there is none. */
export function undoLast() {
  const takeBack = takeLastBack;
  void takeBack?.();
  return !!takeBack;
}

/** Records edits and offers to take them back. */
export async function edit(said, ...patches) {
  let token;
  try {
    token = await record(...patches);
  } catch (error) {
    notice(`Not saved: ${error.message}. The browser may be out of room.`, null, 60_000);
    throw error;
  }
  const takeBack = async () => {
    if (takeLastBack === takeBack) takeLastBack = null;
    try { await undo(token); notice("Undone"); } catch (error) {
      if (!(error instanceof HubError)) throw error;
      notice(`Cannot undo: ${error.message}`);
    }
  };
  takeLastBack = takeBack;
  notice(said ?? inWords(patches[0]), { label: "Undo", act: takeBack });
  return token;
}

// -- sheets --------------------------------------------------------------------------------------------------------------

/** A dialog: from below on a phone, in the middle of a desktop. Gives it, so that it can be closed. */
export function sheet(title, ...content) {
  const before = document.activeElement;
  const dialog = h("dialog", { class: "sheet", "aria-label": title },
    h("div", { class: "sheet-top" }, h("h2", {}, title), h("button", { class: "icon-button", "aria-label": "Close", onclick: () => dialog.close() }, icon("close"))),
    h("div", { class: "sheet-body" }, content));
  dialog.addEventListener("close", () => { dialog.remove(); if (before?.isConnected) before.focus(); });
  dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("[data-first]")?.focus();
  return dialog;
}

/** Asks before something that is hard to take back. */
export function confirmed(title, text, label) {
  return new Promise(answer => {
    const dialog = sheet(title, h("p", {}, text), h("div", { class: "buttons" },
      h("button", { class: "button", onclick: () => dialog.close() }, "Cancel"),
      h("button", { class: "button danger", "data-first": true, onclick: () => { answer(true); dialog.close(); } }, label)));
    dialog.addEventListener("close", () => answer(false));
  });
}

// -- states of a screen --------------------------------------------------------------------------------------------------

export const empty = (drawing, title, text, ...more) =>
  h("div", { class: "empty" }, icon(drawing, "large"), h("h2", {}, title), text && h("p", {}, text), more);

/** What a screen shows in place of something that it does not have: it loads, the hub is away, or the hub refused. */
export function missing(error, what = "This") {
  if (!error) return h("div", { class: "loading", "aria-hidden": "true" }, h("span"), h("span"), h("span"));
  if (!error.status) return empty("away", "Not on this device yet", `${what} was not opened here before, and the hub cannot be reached. Edits and captures work all the same.`);
  if (error.status === 404) return empty("search", "Not there", `${what} is not in the store now. It may have been moved, renamed or deleted elsewhere.`);
  return empty("warn", "That did not work", error.message);
}

export const section = (title, ...content) => h("section", { class: "section" }, title && h("h2", { class: "section-title" }, title), content);

// -- entries -------------------------------------------------------------------------------------------------------------

export const itemLink = id => `#/item/${encodeURIComponent(id)}`;

export function stateLabel(item) {
  return item.todo ? h("span", { class: `state ${item.done ? "done" : "open"}` }, item.todo) : null;
}

/** The tick of an entry: one tap. Without a state there is nothing to tick. */
export function box(item) {
  if (!item.todo) return h("span", { class: "bullet", "aria-hidden": "true" });
  const label = `${item.done ? "Reopen" : "Done"}: ${item.title || "untitled"}`;
  return h("button", { class: `box ${item.done ? "on" : ""}`, role: "checkbox", "aria-checked": item.done ? "true" : "false", "aria-label": label, onclick: () => toggle(item) },
    item.done ? icon("check") : null);
}

export function toggle(item) {
  const next = item.done ? state.states.open[0] : state.states.done[0];
  return edit(`${item.title || "Entry"}: ${next}`, { op: "edit", id: item.id, title: item.title, fields: { todo: { old: item.todo ?? null, new: next } } });
}

export const heading = item => item.title || "(no title)";

function dateMark(item, name) {
  const found = parts(item[name]);
  if (!found) return null;
  const late = !item.done && daysBetween(found.day, today()) > 0;
  return h("span", { class: `mark ${late ? "late" : ""} ${name}` }, icon(name === "deadline" ? "flag" : "date"),
    h("span", { class: "unseen" }, name === "deadline" ? "Deadline " : "Scheduled "), humanStamp(item[name], today()),
    repeater(item[name]) && [icon("repeat"), h("span", { class: "unseen" }, "repeats")]);
}

/** One entry in a list. `more` says what else stands in its second line, `lead` what comes before the title. */
export function row(item, { lead = null, note = null, where = true, actions = null, level = 0, without = null } = {}) {
  const marks = [note && h("span", { class: "mark" }, note), without !== "scheduled" && dateMark(item, "scheduled"), without !== "deadline" && dateMark(item, "deadline"),
    ...(item.tags ?? []).map(t => h("span", { class: "mark tag" }, t)),
    where && item.file && h("span", { class: "mark where" }, [item.file, ...(item.path ?? [])].join(" \u203a ")),
    item.waiting && h("span", { class: "mark waits" }, "waits to be sent")].filter(Boolean);
  return h("li", { class: `row ${item.done ? "is-done" : ""} ${item.waiting ? "is-waiting" : ""} level-${Math.min(level, 6)}`, "data-key": item.id },
    box(item),
    h("a", { class: "row-link", href: itemLink(item.id) },
      h("span", { class: "row-title", dir: "auto" }, lead && h("span", { class: "time" }, lead), stateLabel(item),
        item.priority && h("span", { class: `priority p${item.priority}` }, h("span", { class: "unseen" }, "Priority "), item.priority), heading(item)),
      marks.length ? h("span", { class: "row-marks" }, marks) : null),
    actions);
}

/** The row's own menu: what can be done without opening the entry. */
export function rowMenu(item) {
  return h("button", { class: "icon-button row-more", "aria-label": `Actions for ${heading(item)}`, onclick: async () => (await import("./sheets.js")).actions(item) }, icon("more"));
}

export const list = (...rows) => h("ul", { class: "list" }, rows);

/** A link to another screen, as a row with a number. */
export function link(href, drawing, title, more = "", count = null) {
  return h("li", { class: "link-row", "data-key": href }, h("a", { href }, icon(drawing), h("span", { class: "grow" }, h("span", { class: "link-title", dir: "auto" }, title), more && h("span", { class: "link-more", dir: "auto" }, more)),
    count === null || count === undefined ? null : h("span", { class: "count" }, String(count)), icon("next")));
}

export const chip = (drawing, label, value, props) =>
  h("button", { class: `chip ${value ? "set" : ""}`, ...props, "aria-label": value ? `${label}: ${value}` : `Set ${label.toLowerCase()}` }, icon(drawing), h("span", {}, value || label));

export const dayLabel = day => human(day, today());
