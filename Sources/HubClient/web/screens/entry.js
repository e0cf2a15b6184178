// One entry: what it is, its dates and tags as chips, its text, what is below it, and everything that can be done with it.
import { leave } from "../address.js";
import { SIDES, eventOf } from "../bundles.js";
import * as db from "../db.js";
import { h } from "../dom.js";
import { humanStamp, repeater, today } from "../dates.js";
import { entry, resolved } from "../hub.js";
import { icon } from "../icons.js";
import { box, chip, confirmed, edit, empty, list, missing, row, rowMenu, section } from "../parts.js";
import { placeOf } from "../places.js";
import { asText } from "../position.js";
import { preview } from "../preview.js";
import * as resources from "../resources.js";
import * as sheets from "../sheets.js";

export const title = "Entry";
export const needs = async rest => { const id = await resolved(rest[0]); return id.startsWith("n") && !await db.get("items", id) ? [] : [resources.itemPath(id)]; };

export async function enter(rest, own) {
  own.draft = await draftOf(await resolved(rest[0]));
  own.editing = !!own.draft;
}

/** The unsaved text of an entry, which may have had another id when it was typed. */
async function draftOf(id) {
  for (const draft of await db.all("drafts")) {
    if (draft.key.startsWith("text ") && await resolved(draft.key.slice(5)) === id) return draft;
  }
  return null;
}

export async function view({ problems, rest, own, redraw }) {
  const item = await entry(rest[0]), id = item?.id ?? await resolved(rest[0]), problem = problems[resources.itemPath(id)];
  own.item = item;
  if (!item) return problem ? missing(problem, "This entry") : (await db.get("items", id)) ? empty("check", "Gone from here", "You archived or deleted this entry; the edit waits to be sent.") : missing(null);
  const children = (await Promise.all((item.children ?? []).map(entry))).filter(Boolean);
  return h("article", { class: `entry ${item.waiting ? "is-waiting" : ""}` },
    problem?.status === 404 && h("p", { class: "banner" }, "The hub does not have this entry now. What you see is this device's copy."),
    h("p", { class: "breadcrumb", dir: "auto" }, item.fileId ? h("a", { href: `#/file/${encodeURIComponent(item.fileId)}` }, item.file) : item.file, (item.path ?? []).map(p => [" \u203a ", p]),
      // In a line that is always there: nothing may move under a finger when the answer arrives.
      item.waiting && h("span", { class: "waits" }, "waits to be sent")),
    h("div", { class: "entry-head" }, box(item), titleForm(item)),
    chips(item), toolbar(item),
    own.editing ? editor(item, own, redraw) : text(item, own, redraw),
    properties(item),
    h("p", {}, h("a", { class: "text-button", "data-action": "history", href: `#/versions/${encodeURIComponent(item.id)}` }, icon("history"), "History")),
    children.length ? section("Below it", list(children.map(c => row(c, { where: false, actions: rowMenu(c) })))) : null);
}

/** The title as a field in place: it is saved when the field is left. */
function titleForm(item) {
  // A redraw keeps the field that is on the screen, so the handlers ask the event for it.
  const save = ({ target }) => {
    const next = target.value.replace(/[\r\n]+/g, " ").trim();
    if (!next || next === item.title) { target.value = item.title; return; }
    void edit("Title changed", { op: "edit", id: item.id, title: item.title, fields: { title: { old: item.title, new: next } } });
  };
  const field = h("textarea", { rows: Math.max(1, Math.ceil(item.title.length / 30)), class: `entry-title ${item.done ? "is-done" : ""}`, id: "entry-title", "aria-label": "Title", value: item.title, dir: "auto", autocomplete: "off", onblur: save,
    onkeydown: e => { if (e.key === "Enter") { e.preventDefault(); e.target.blur(); } if (e.key === "Escape") { e.target.value = item.title; e.target.blur(); } } });
  return h("form", { class: "grow", onsubmit: e => e.preventDefault() }, field);
}

function chips(item) {
  const date = name => item[name] ? humanStamp(item[name], today()) + (repeater(item[name]) ? ` ${repeater(item[name])}` : "") : "";
  return h("div", { class: "chips", role: "group", "aria-label": "Fields" },
    chip("check", "State", item.todo ?? "", { "data-action": "todo", onclick: () => sheets.todo(item) }),
    chip("date", "Schedule", date("scheduled"), { "data-action": "scheduled", onclick: () => sheets.date(item, "scheduled") }),
    chip("flag", "Deadline", date("deadline"), { "data-action": "deadline", onclick: () => sheets.date(item, "deadline") }),
    chip("tag", "Tags", (item.tags ?? []).join(", "), { "data-action": "tags", onclick: () => sheets.tags(item) }),
    chip("warn", "Priority", item.priority ?? "", { "data-action": "priority", onclick: () => sheets.priority(item) }),
    chip("bundle", "Before or after", events(item), { "data-action": "event", onclick: () => sheets.event(item) }),
    chip("place", "Place", placeOf(item) ? asText(placeOf(item)) : "", { "data-action": "place", onclick: () => sheets.place(item) }));
}

const events = item => Object.entries(SIDES).map(([side, { title }]) => { const event = eventOf(item, side); return event && `${title.toLowerCase()} ${event.name}`; }).filter(Boolean).join(", ");

function toolbar(item) {
  const tool = (drawing, label, action, act) => h("button", { class: "tool", "data-action": action, onclick: act }, icon(drawing), h("span", {}, label));
  const running = item.clock?.running;
  return h("div", { class: "toolbar", role: "group", "aria-label": "Actions" },
    tool("refile", "Refile", "refile", () => leaveAfter(sheets.refile(item))),
    tool(running ? "stop" : "clock", running ? "Clock out" : "Clock in", "clock", () => sheets.clock(item)),
    tool("note", "Note", "note", () => sheets.note(item)),
    tool("archive", "Archive", "archive", () => leaveAfter(sheets.archive(item))),
    tool("trash", "Delete", "delete", () => leaveAfter(sheets.remove(item))));
}

/** Leaves the screen once an action has removed the entry from here. */
async function leaveAfter(action) {
  const here = location.hash;
  if (await action) leave(here);
}

function text(item, own, redraw) {
  const known = item.body !== undefined;
  const tick = (label, on) => void edit(null, { op: "check", id: item.id, title: item.title, item: label, old: !on, new: on });
  return h("section", { class: "section" },
    h("div", { class: "section-top" }, h("h2", { class: "section-title" }, "Text"),
      known && h("button", { class: "text-button", "data-action": "edit", onclick: () => { own.editing = true; redraw(); setTimeout(() => document.getElementById("text")?.focus()); } }, icon("edit"), "Edit")),
    !known ? h("p", { class: "hint" }, "The text is not on this device yet.") : item.body.trim() ? preview(item.body, tick) : h("p", { class: "hint" }, "No text."));
}

let saving;

/** The text as a field; what is typed is kept at every pause, so that neither a reload nor a dead battery loses it. */
function editor(item, own, redraw) {
  const windows = item.body?.includes("\r\n"), plain = (item.body ?? "").replaceAll("\r\n", "\n");
  const key = own.draft?.key ?? `text ${item.id}`;
  const remember = event => {
    const value = event.target.value;
    clearTimeout(saving);
    own.draft = { key, text: value, base: own.draft?.base ?? item.body ?? "", at: Date.now() };
    saving = setTimeout(() => void db.put("drafts", own.draft), 250);
  };
  const leave = async () => { clearTimeout(saving); await db.remove("drafts", key); own.draft = null; own.editing = false; await redraw(); document.querySelector("[data-action=edit]")?.focus(); };
  const save = async event => {
    event.preventDefault();
    const typed = document.getElementById("text").value, next = windows ? typed.replaceAll("\n", "\r\n") : typed;
    const old = own.draft?.base ?? item.body ?? "";
    if (next !== old) await edit("Text saved", { op: "edit", id: item.id, title: item.title, fields: { body: { old, new: next } } });
    await leave();
  };
  const cancel = async () => {
    if (own.draft && own.draft.text !== plain && !await confirmed("Discard your text?", "What you typed is not saved.", "Discard")) return;
    await leave();
  };
  return h("form", { class: "form editor", onsubmit: save },
    h("label", { for: "text" }, "Text"),
    own.draft && own.draft.text !== plain && h("p", { class: "hint" }, "Your unsaved text from before is here."),
    h("textarea", { id: "text", rows: Math.min(24, Math.max(8, plain.split("\n").length + 2)), value: own.draft?.text ?? plain, "data-keep": true, dir: "auto", oninput: remember,
      spellcheck: "true" }),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "button", onclick: cancel }, "Cancel"), h("button", { class: "button primary", "data-save": true }, "Save text")));
}

function properties(item) {
  const own = Object.entries(item.properties ?? {});
  if (!own.length && !item.inheritedTags?.length && !item.closed) return null;
  return h("details", { class: "details" }, h("summary", {}, "Properties"), h("dl", {},
    item.closed && [h("dt", {}, "Closed"), h("dd", {}, item.closed)],
    item.inheritedTags?.length ? [h("dt", {}, "Inherited tags"), h("dd", {}, item.inheritedTags.join(", "))] : null,
    own.map(([key, value]) => [h("dt", {}, key), h("dd", { dir: "auto" }, value)])));
}
