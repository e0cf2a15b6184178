// What two sides changed: edits of this device that the hub did not carry out, and files with a conflict between remotes.
import { h } from "../dom.js";
import { ago, humanStamp, today } from "../dates.js";
import { inWords } from "../edits.js";
import { ask, decided, fetched, HubError, localId, resend, state } from "../hub.js";
import { confirmed, edit, empty, itemLink, missing, notice, section } from "../parts.js";
import * as resources from "../resources.js";

export const title = "To decide";
export const needs = () => [resources.CONFLICTS];

export function view({ data, problems, own, redraw }) {
  const value = data[resources.CONFLICTS], files = value?.conflicts ?? [];
  const refused = state.refused;
  if (!refused.length && value && !files.length && !value.marked?.length) return empty("check", "Nothing to decide", "When two devices change the same thing, both versions appear here, and you choose.");
  return [
    refused.length ? section("Your edits", h("ul", { class: "list cards" }, refused.map(row => refusedCard(row, own.choices ??= {})))) : null,
    !value && !refused.length ? missing(problems[resources.CONFLICTS], "The list of conflicts") : null,
    files.length ? section("Files", h("ul", { class: "list cards" }, files.map(f => fileCard(f, own, redraw)))) : null,
    value?.marked?.length ? section("Marked by another device", h("ul", { class: "list cards" }, value.marked.map(path => h("li", { class: "card", "data-key": path }, h("p", { dir: "auto" }, path))))) : null,
  ];
}

// -- edits of this device ------------------------------------------------------------------------------------------------

const NAMES = { title: "Title", todo: "State", priority: "Priority", scheduled: "Scheduled", deadline: "Deadline", body: "Text", tags: "Tags", properties: "Properties" };
const said = (field, value) => value === null || value === undefined || value === "" ? "none" : field === "scheduled" || field === "deadline" ? humanStamp(value, today()) : String(value);

/** `choices` has what the person chose so far, so that drawing again does not undo it. */
function refusedCard(row, choices) {
  const { patch, result } = row;
  return h("li", { class: "card", "data-key": row.key },
    h("h3", { dir: "auto" }, inWords(patch, row.title || patch.title)),
    h("p", { class: "hint" }, reason(row)),
    result.result === "conflict" && patch.op !== "remove" ? sides(row, choices) : null,
    h("div", { class: "buttons" }, buttons(row)));
}

function reason({ patch, result, at }) {
  const when = ago(at);
  if (patch.op === "remove" && result.result === "conflict") return `The entry was changed elsewhere before your deletion arrived, ${when}.`;
  switch (result.result) {
    case "conflict": return `The entry was changed elsewhere before your edit arrived, ${when}. Nothing is lost: choose for each field.`;
    case "gone": return `The entry is not in the store now, ${when}. Your text is kept here.`;
    case "locked": return `${result.detail} It is sent again by itself.`;
    default: return `The hub refused this edit, ${when}: ${result.detail ?? "it gave no reason"}`;
  }
}

/** Field by field, both versions side by side. */
function sides(row, choices) {
  return Object.entries(row.result.fields ?? {}).map(([field, values]) => {
    const name = `${row.key} ${field}`;
    const side = (which, label, value) => h("label", { class: "side" },
      h("input", { type: "radio", name, value: which, checked: which === (choices[name] ?? "yours"), "data-side": field, onchange: () => { choices[name] = which; } }), h("span", { class: "side-name" }, label),
      h(field === "body" ? "pre" : "span", { class: "side-text", dir: "auto" }, said(field, value)));
    return h("fieldset", { class: "sides", "data-key": name }, h("legend", {}, NAMES[field] ?? field),
      values.old !== undefined && h("p", { class: "hint", dir: "auto" }, "Before: ", field === "body" ? "the text of which both began" : said(field, values.old)),
      h("div", { class: "pair" }, side("yours", "Yours", values.yours), side("hubs", "The hub's", values.hubs)));
  });
}

function buttons(row) {
  const { patch, result } = row;
  const drop = h("button", { class: "button", onclick: () => discard(row) }, result.result === "conflict" ? "Keep the hub's" : "Discard");
  if (patch.op === "remove" && result.result === "conflict") {
    return [h("button", { class: "button", onclick: () => decided(row.key) }, "Keep the entry"), h("a", { class: "button", href: itemLink(patch.id) }, "Open the entry"),
      h("button", { class: "button danger", onclick: () => removeAllTheSame(row) }, "Delete it")];
  }
  if (result.result === "conflict") return [drop, h("button", { class: "button primary", onclick: event => resolve(row, event.currentTarget.closest(".card")) }, "Apply my choice")];
  if (result.result === "gone" && (patch.fields?.title || patch.fields?.body)) return [drop, h("button", { class: "button primary", onclick: () => captureAgain(row) }, "Capture it again")];
  return [drop, patch.op !== "add" && h("a", { class: "button", href: itemLink(patch.id) }, "Open the entry"), h("button", { class: "button primary", onclick: () => again(row) }, "Send again")];
}

async function discard(row) {
  if (!await confirmed("Discard your edit?", "Only your version of this edit is dropped; the entry stays as the hub has it.", "Discard")) return;
  await decided(row.key);
  notice("Your edit is discarded");
}

/** The chosen fields as a new edit of what the hub has now. */
async function resolve(row, card) {
  const fields = {};
  for (const [field, values] of Object.entries(row.result.fields ?? {})) {
    const mine = [...card.querySelectorAll(`[data-side="${field}"]`)].find(i => i.checked)?.value === "yours";
    if (mine) fields[field] = field === "tags" ? row.patch.fields.tags : { old: values.hubs ?? null, new: values.yours ?? null };
  }
  // Fields of the same edit without a difference were not carried out either.
  for (const [field, change] of Object.entries(row.patch.fields ?? {})) if (!(field in (row.result.fields ?? {}))) fields[field] = change;
  const id = row.result.item?.id ?? row.patch.id;
  if (Object.keys(fields).length) await edit("Your choice is recorded", { op: "edit", id, title: row.title, fields });
  else notice("The hub's version stays");
  await decided(row.key);
}

async function captureAgain(row) {
  const fields = { title: { new: row.patch.fields.title?.new ?? row.title ?? "Recovered text" } };
  if (row.patch.fields.body) fields.body = { new: row.patch.fields.body.new };
  await edit("Captured to the inbox", { op: "add", id: localId(), fields });
  await decided(row.key);
}

const again = row => resend([row.key]);

/** Deletes the entry as the hub had it when it refused. */
async function removeAllTheSame(row) {
  await edit(`Deleted “${row.title}”`, { ...row.patch, revision: row.result.fields.revision.hubs });
  await decided(row.key);
}

// -- files ---------------------------------------------------------------------------------------------------------------

function fileCard(file, own, redraw) {
  const name = `${file.path} ${file.remote} ${file.pass}`;
  return h("li", { class: "card", "data-key": name },
    h("h3", { dir: "auto" }, file.path),
    h("p", { class: "hint" }, `Changed here and on ${file.remote}, ${ago(file.since)}. ${file.copy ? `The other version is in ${file.copy}.` : "Both versions are in the file, with marks."}`),
    h("details", { class: "details", ontoggle: event => event.target.open && showChanges(file, name, own, redraw) }, h("summary", {}, "Changes of both sides"),
      h("pre", { class: "changes", dir: "auto" }, own.changes?.[name] ?? "Loading …")),
    own.problem?.[name] && h("p", { class: "error", role: "alert" }, own.problem[name]),
    h("div", { class: "buttons" },
      h("button", { class: "button", onclick: () => choose(file, "ours", name, own, redraw) }, "Keep the store’s"),
      h("button", { class: "button", onclick: () => choose(file, "theirs", name, own, redraw) }, `Keep that of ${file.remote}`)));
}

async function showChanges(file, name, own, redraw) {
  own.changes ??= {};
  if (own.changes[name]) return;
  try {
    own.changes[name] = (await ask("GET", resources.changes(file))).value.changes.join("\n");
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    own.problem = { [name]: error.status ? error.message : "The hub has to be reached to see the changes." };
  }
  redraw();
}

async function choose(file, side, name, own, redraw) {
  const kept = side === "ours" ? "the store" : file.remote;
  if (!await confirmed(`Keep the version of ${kept}?`, "It replaces only what is in dispute. All other edits of both sides stay, and the other version stays in the history.", "Keep it")) return;
  own.problem = null;
  try {
    await ask("POST", "/conflicts/resolve", { path: file.path, remote: file.remote, pass: file.pass, side });
    notice(`${file.path}: the version of ${kept} is kept`);
    await fetched(resources.CONFLICTS);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    own.problem = { [name]: error.status === 404 ? "This conflict is not open now." : error.status ? error.message : "The hub has to be reached to decide this." };
  }
  redraw();
}
