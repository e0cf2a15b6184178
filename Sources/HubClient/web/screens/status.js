// Where everything stands: this device, then each remote of the hub.
import { h } from "../dom.js";
import { ago } from "../dates.js";
import { inWords } from "../edits.js";
import { state } from "../hub.js";
import { icon } from "../icons.js";
import { link, missing, section } from "../parts.js";
import * as resources from "../resources.js";
import { standing, sync } from "../app.js";

export const title = "Status";
export const needs = () => [resources.STATUS, resources.SESSION];

export function view({ data, problems, at }) {
  const value = data[resources.STATUS];
  return [thisDevice(), waiting(), value ? remotes(value, at[resources.STATUS], problems[resources.STATUS]) : missing(problems[resources.STATUS], "The hub's status"),
    h("ul", { class: "list" }, link("#/history", "history", "Passes", "What each pass did, with undo"), link("#/holds", "hold", "Held deletions", "", state.counts.holds || null))];
}

function thisDevice() {
  const now = standing();
  return h("div", { class: `card standing ${now.kind}` }, icon(now.icon, "large"),
    h("div", { class: "grow" }, h("h2", {}, now.label), h("p", { class: "hint" }, state.lastContact ? `The hub was reached ${ago(state.lastContact)}.` : "The hub was not reached since this page was opened.")),
    h("button", { class: "button primary", onclick: sync }, icon("sync"), "Sync now"));
}

function waiting() {
  if (!state.queue.length) return null;
  return section(`${state.queue.length} ${state.queue.length === 1 ? "edit waits" : "edits wait"} on this device`,
    h("ul", { class: "list" }, state.queue.flatMap(row => row.patches.map((p, i) => h("li", { class: "row plain", "data-key": `${row.number}.${i}` }, h("span", { class: "bullet" }),
      h("span", { class: "row-link" }, h("span", { class: "row-title", dir: "auto" }, inWords(p)), h("span", { class: "row-marks" }, h("span", { class: "mark" }, ago(row.made)))))))),
    h("p", {}, h("button", { class: "text-button", onclick: save }, "Save these edits as a file")));
}

/** A way out for edits, whatever becomes of the hub. */
function save() {
  const file = new Blob([JSON.stringify({ client: state.client, batches: state.queue, refused: state.refused }, null, 1)], { type: "application/json" });
  const a = h("a", { href: URL.createObjectURL(file), download: "syncd-edits.json" });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}

const RESULTS = { synced: ["ok", "In sync"], waiting: ["busy", "Waits"], "out-of-time": ["busy", "Continues in the next pass"], conflicts: ["warn", "Has conflicts"], failed: ["bad", "Failed"],
  unreachable: ["bad", "Cannot be reached"], unauthorized: ["bad", "Refuses the login"], held: ["warn", "Deletions are held"], damaged: ["bad", "Is damaged"] };

function remotes(value, at, problem) {
  const list = value.remotes ?? [];
  return section("Remotes", problem && h("p", { class: "hint" }, `As of ${ago(at)}; the hub cannot be reached now.`),
    list.length ? h("ul", { class: "list cards" }, list.map(remote)) : h("p", { class: "hint" }, "This hub has no remotes: the files are only on its computer."));
}

function remote(r) {
  const [kind, word] = RESULTS[r.result] ?? ["busy", r.result ?? "Unknown"];
  const last = r["last-success"] ?? r.lastSuccess, trouble = r.trouble;
  return h("li", { class: "card", "data-key": r.name },
    h("div", { class: "card-top" }, h("h3", { dir: "auto" }, r.name), h("span", { class: `badge ${kind}` }, word)),
    h("p", { class: "hint" }, `${r.files ?? 0} ${r.files === 1 ? "file" : "files"}, ${last ? `last in sync ${ago(last)}` : "never in sync yet"}${r.paused ? ", paused" : ""}`),
    trouble && h("p", { class: "error", dir: "auto" }, trouble.message), r.waits && h("p", { dir: "auto" }, r.waits),
    (r.pending ?? []).slice(0, 5).map(p => h("p", { class: "hint", dir: "auto" }, p)),
    (r.conflicts ?? []).length ? h("p", {}, h("a", { href: "#/conflicts" }, `${r.conflicts.length} ${r.conflicts.length === 1 ? "conflict" : "conflicts"}`)) : null);
}
