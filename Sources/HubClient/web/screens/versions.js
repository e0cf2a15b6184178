// The versions of one entry, newest first: when and by whom it changed, what changed, its text then, and the way back to it.
import { h } from "../dom.js";
import { ago } from "../dates.js";
import { restoring } from "../edits.js";
import { entry, resolved } from "../hub.js";
import { edit, empty, heading, itemLink, missing } from "../parts.js";
import { preview } from "../preview.js";
import * as resources from "../resources.js";

export const title = "History of an entry";
const pathOf = async rest => resources.history(await resolved(rest[0]));
export const needs = async rest => [await pathOf(rest), resources.itemPath(await resolved(rest[0]))];

export async function view({ data, problems, rest }) {
  const path = await pathOf(rest), value = data[path], item = await entry(rest[0]);
  if (!value || !item) return missing(problems[path], "The history of this entry");
  const versions = value.versions;
  return [h("p", { class: "breadcrumb", dir: "auto" }, h("a", { href: itemLink(item.id) }, heading(item))),
    versions.length ? h("ul", { class: "list cards" }, versions.map(v => card(v, item))) : empty("history", "No former versions", "The history has this entry once it was changed or synced.")];
}

const DID = { added: "Added", changed: "Changed", removed: "Removed", "oldest version": "The oldest version that the history has" };

function card(version, item) {
  const then = resources.item(version.item), fields = then && restoring(item, then);
  return h("li", { class: "card", "data-key": `${version.pass} ${version.digest}` },
    h("div", { class: "card-top" }, h("h2", { class: "grow" }, DID[version.change] ?? version.change), h("time", { class: "hint", datetime: version.time }, ago(version.time))),
    h("p", { class: "hint", dir: "auto" }, `${version.cause}, pass ${version.pass}`),
    version.changes.length ? h("pre", { class: "changes", dir: "auto", tabindex: "0" }, version.changes.join("\n")) : null,
    then && h("details", { class: "details" }, h("summary", {}, "The entry then"), h("p", { dir: "auto" }, h("strong", {}, [then.todo, heading(then)].filter(Boolean).join(" "))), then.body?.trim() ? preview(then.body, null) : h("p", { class: "hint" }, "No text.")),
    !then ? null : Object.keys(fields).length ? h("div", { class: "buttons" }, h("button", { class: "button", "aria-label": `Restore the version of pass ${version.pass}`, onclick: () => void restore(item, fields) }, "Restore"))
      : h("p", { class: "hint" }, "The entry is like this now."));
}

/** An edit like any other: it waits without the hub, is refused if the entry changed elsewhere, and can be taken back. */
async function restore(item, fields) {
  await edit("Former version restored", { op: "edit", id: item.id, title: item.title, fields });
}
