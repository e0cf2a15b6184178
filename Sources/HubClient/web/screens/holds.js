// Held deletions: what would go, and why it was held.
import { h } from "../dom.js";
import { ago } from "../dates.js";
import { ask, fetched, HubError } from "../hub.js";
import { confirmed, empty, missing, notice } from "../parts.js";
import * as resources from "../resources.js";

export const title = "Held deletions";
export const needs = () => [resources.HOLDS];

export function view({ data, problems, own, redraw }) {
  const value = data[resources.HOLDS];
  if (!value) return missing(problems[resources.HOLDS], "The list of held deletions");
  const holds = value.holds ?? [];
  if (!holds.length) return empty("hold", "Nothing is held", "If many files would be deleted at once, syncd stops and asks here first.");
  return h("ul", { class: "list cards" }, holds.map(hold => h("li", { class: "card", "data-key": hold.id },
    h("h2", { dir: "auto" }, `${hold.paths.length} ${hold.paths.length === 1 ? "file" : "files"} on ${hold.remote}`),
    h("p", {}, hold.reason), h("p", { class: "hint" }, `Held since ${ago(hold.since)}.`),
    h("details", { class: "details" }, h("summary", {}, "Which files"), h("ul", { class: "paths" }, hold.paths.slice(0, 200).map(p => h("li", { dir: "auto" }, p)))),
    own.problem?.[hold.id] && h("p", { class: "error", role: "alert" }, own.problem[hold.id]),
    h("div", { class: "buttons" },
      h("button", { class: "button", onclick: () => decide(hold, "deny", own, redraw) }, "Bring them back"),
      h("button", { class: "button danger", onclick: () => decide(hold, "allow", own, redraw) }, "Let them go")))));
}

async function decide(hold, what, own, redraw) {
  const count = `${hold.paths.length} ${hold.paths.length === 1 ? "file" : "files"}`;
  if (what === "allow" && !await confirmed(`Delete ${count}?`, "The next pass deletes exactly these. Previous versions stay in the history.", "Let them go")) return;
  own.problem = null;
  try {
    await ask("POST", `/holds/${encodeURIComponent(hold.id)}/${what}`, {});
    notice(what === "allow" ? "The next pass deletes them" : "The next pass brings them back");
    await fetched(resources.HOLDS);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    own.problem = { [hold.id]: error.status === 404 ? "These deletions are not held now." : error.status ? error.message : "The hub has to be reached to decide this." };
  }
  redraw();
}
