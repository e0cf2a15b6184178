// The files of the store, and one file as its outline.
import { h } from "../dom.js";
import { onTop } from "../hub.js";
import { empty, link, missing, row, rowMenu } from "../parts.js";
import * as resources from "../resources.js";

export const title = (rest, { data }) => rest[0] ? data[resources.outline(rest[0])]?.file?.path ?? nameOf(data, rest[0]) ?? "File" : "Files";
const nameOf = (data, id) => data[resources.FILES]?.files?.find(f => f.id === id)?.path;
export const needs = rest => rest[0] ? [resources.outline(rest[0]), resources.FILES] : [resources.FILES, resources.SESSION];

export function view(screen) {
  return screen.rest[0] ? outline(screen) : files(screen);
}

function files({ data, problems }) {
  const value = data[resources.FILES];
  if (!value) return missing(problems[resources.FILES], "The list of files");
  if (!value.files.length) return empty("files", "No files yet", "Capture something: the inbox is made with it.");
  const folders = new Map();
  for (const file of value.files) {
    const folder = file.path.includes("/") ? file.path.slice(0, file.path.lastIndexOf("/")) : "";
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders].sort(([a], [b]) => a.localeCompare(b)).map(([folder, own]) => h("section", { class: "section", "data-key": folder },
    folder && h("h2", { class: "section-title", dir: "auto" }, folder),
    h("ul", { class: "list" }, own.map(f => link(`#/file/${encodeURIComponent(f.id)}`, "files", f.path.split("/").pop(), `${f.open ?? 0} to do`, f.entries)))));
}

function outline({ data, problems, rest, own, redraw }) {
  const path = resources.outline(rest[0]), value = data[path];
  if (!value) return missing(problems[path], "This file");
  own.folded ??= new Set();
  const items = value.items.map(resources.item), rows = [];
  let hidden = Infinity;
  for (const [index, item] of items.entries()) {
    if (item.level > hidden) continue;
    hidden = own.folded.has(item.id) ? item.level : Infinity;
    const now = onTop(item);
    if (!now || now.movedTo) continue;
    const parent = (items[index + 1]?.level ?? 0) > item.level;
    rows.push(row(now, { where: false, level: item.level - 1, actions: [parent && fold(item, own, redraw), rowMenu(now)] }));
  }
  return rows.length ? h("ul", { class: "list outline" }, rows) : empty("files", "This file has no headings", "");
}

function fold(item, own, redraw) {
  const folded = own.folded.has(item.id);
  return h("button", { class: `icon-button fold ${folded ? "folded" : ""}`, "aria-expanded": folded ? "false" : "true", "aria-label": `Entries below ${item.title}`,
    onclick: () => { folded ? own.folded.delete(item.id) : own.folded.add(item.id); redraw(); } }, h("span", { "aria-hidden": "true" }, folded ? "\u25b8" : "\u25be"));
}
