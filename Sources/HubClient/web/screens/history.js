// What happened: passes of remotes and of devices, newest first, each with what it did to which file, and how to take it back.
import { h } from "../dom.js";
import { ago } from "../dates.js";
import { ask, HubError } from "../hub.js";
import { confirmed, empty, missing, notice } from "../parts.js";
import * as resources from "../resources.js";

export const title = "History";
export const needs = () => [resources.PASSES];
const DID = { copy: "copied", merge: "merged", remove: "deleted", conflict: "kept both versions of", hold: "held", forget: "stopped tracking", edit: "edited" };

export function view({ data, problems, own, redraw }) {
  const value = data[resources.PASSES];
  if (!value) return missing(problems[resources.PASSES], "The history");
  const passes = (value.passes ?? []).filter(p => p.actions?.length);
  if (!passes.length) return empty("history", "Nothing happened yet", "Every sync and every edit is listed here.");
  return h("ul", { class: "list cards" }, passes.map(p => h("li", { class: "card", "data-key": String(p.pass) },
    h("div", { class: "card-top" }, h("h2", { class: "grow" }, `Pass ${p.pass}`), h("span", { class: "hint" }, ago(p.started))),
    h("ul", { class: "paths" }, p.actions.slice(0, 20).map(a => h("li", {}, h("span", { dir: "auto" }, `${DID[a.action] ?? a.action} ${a.path}`), " ", h("span", { class: "hint", dir: "auto" }, [author(a.remote), a.detail].filter(Boolean).join(", "))))),
    p.actions.length > 20 ? h("p", { class: "hint" }, `and ${p.actions.length - 20} more files`) : null,
    own.problem?.[p.pass] && h("p", { class: "error", role: "alert" }, own.problem[p.pass]),
    h("div", { class: "buttons" }, h("button", { class: "button", "aria-label": `Undo pass ${p.pass}`, onclick: () => undo(p, own, redraw) }, "Undo")))));
}

const author = name => name?.startsWith("device:") ? `by ${name.slice(7)}` : name && `with ${name}`;

async function undo(pass, own, redraw) {
  if (!await confirmed(`Undo pass ${pass.pass}?`, "Each file goes back to its version from before this pass. Edits that came later stay where they can.", "Undo")) return;
  own.problem = null;
  try {
    const { value } = await ask("POST", `/passes/${pass.pass}/undo`, {});
    notice(`Pass ${pass.pass}: ${value?.undone ?? 0} ${value?.undone === 1 ? "file" : "files"} taken back`);
    if (value?.failed?.length) own.problem = { [pass.pass]: value.failed.join("; ") };
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    own.problem = { [pass.pass]: error.status ? error.message : "The hub has to be reached to undo a pass." };
  }
  redraw();
}
