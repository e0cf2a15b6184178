// Capture: type at once, choose only if there is something to choose; the same with and without the hub.
import { leave } from "../address.js";
import * as db from "../db.js";
import { h } from "../dom.js";
import { humanStamp, today } from "../dates.js";
import { localId, state } from "../hub.js";
import { icon } from "../icons.js";
import { chip, edit } from "../parts.js";
import * as resources from "../resources.js";
import { chooseDay, chooseTarget } from "../sheets.js";

export const title = "Capture";
export const focus = () => document.getElementById("capture-title")?.focus();
export const needs = () => [resources.TEMPLATES, resources.TARGETS, resources.SESSION];

const KEY = "capture";
const blank = () => ({ key: KEY, title: "", body: "", todo: null, scheduled: null, target: null, template: "" });

export async function enter(rest, own) {
  own.draft = { ...blank(), todo: state.states.open[0], ...await db.get("drafts", KEY) };
}

let saving;
function remember(own) {
  clearTimeout(saving);
  saving = setTimeout(() => void db.put("drafts", own.draft), 200);
}

export function view({ data, own, redraw }) {
  const draft = own.draft, templates = (data[resources.TEMPLATES]?.templates ?? []).filter(t => t.key !== "");
  const set = (name, value) => { draft[name] = value; remember(own); redraw(); };
  const templated = !!draft.template;
  const inbox = data[resources.SESSION]?.inbox?.file ?? "Inbox";
  return h("form", { class: "form capture", onsubmit: event => { event.preventDefault(); void save(own, redraw, event.submitter?.value === "next"); } },
    templates.length ? h("div", { class: "segments wide", role: "group", "aria-label": "Template" }, [{ key: "", name: "Entry" }, ...templates].map(t =>
      h("button", { type: "button", "aria-pressed": draft.template === t.key ? "true" : "false", onclick: () => set("template", t.key) }, t.name))) : null,
    h("label", { for: "capture-title" }, templated ? "Text" : "Title"),
    h("textarea", { id: "capture-title", class: "capture-title", rows: 2, value: draft.title, dir: "auto", enterkeyhint: "done", oninput: e => { draft.title = e.target.value; remember(own); },
      onkeydown: e => { if (e.key === "Enter" && !e.shiftKey && !e.ctrlKey && !templated) { e.preventDefault(); document.getElementById("capture-body")?.focus(); } } }),
    templated ? null : [
      h("div", { class: "chips", role: "group", "aria-label": "Fields" },
        chip("check", "State", draft.todo ?? "", { type: "button", onclick: () => set("todo", nextState(draft.todo)) }),
        chip("date", "Schedule", draft.scheduled ? humanStamp(draft.scheduled, today()) : "", { type: "button", onclick: () => chooseDay("Schedule", draft.scheduled, value => set("scheduled", value)) }),
        chip("inbox", "Target", draft.target?.name ?? inbox, { type: "button", onclick: async () => { const to = await chooseTarget("Capture to"); if (to) set("target", to); } })),
      h("label", { for: "capture-body" }, "Text"),
      h("textarea", { id: "capture-body", rows: 5, value: draft.body, dir: "auto", placeholder: "Optional", oninput: e => { draft.body = e.target.value; remember(own); } }),
    ],
    h("p", { id: "capture-error", class: "error", role: "alert" }),
    h("div", { class: "buttons stick" },
      h("button", { class: "button", value: "next" }, "Save and next"),
      h("button", { class: "button primary", "data-save": true, value: "done" }, icon("check"), "Save")));
}

const nextState = now => { const all = [...state.states.open, null]; return all[(all.indexOf(now) + 1) % all.length]; };

async function save(own, redraw, another) {
  const draft = own.draft, title = draft.title.replace(/\s*\n\s*/g, " ").trim();
  const error = document.getElementById("capture-error");
  if (!title) {
    error.textContent = "Type something to capture first.";
    return document.getElementById("capture-title").focus();
  }
  error.textContent = "";
  clearTimeout(saving);
  const here = location.hash;
  await edit(`Captured “${title}”`, draft.template ? { op: "add", id: localId(), template: draft.template, text: draft.title, targetName: "Template", fields: { title: { new: title } } } : addition(draft, title));
  void db.remove("drafts", KEY);
  own.draft = { ...blank(), todo: state.states.open[0], template: draft.template, target: another ? draft.target : null };
  if (!another) return leave(here);
  await redraw();
  if (location.hash !== here) return;
  const field = document.getElementById("capture-title");
  field.value = "";
  if (document.getElementById("capture-body")) document.getElementById("capture-body").value = "";
  field.focus();
}

function addition(draft, title) {
  const fields = { title: { new: title } };
  if (draft.todo) fields.todo = { new: draft.todo };
  if (draft.scheduled) fields.scheduled = { new: draft.scheduled };
  if (draft.body.trim()) fields.body = { new: draft.body };
  return { op: "add", id: localId(), ...(draft.target ? { target: draft.target.id, targetName: draft.target.name } : {}), fields };
}
