// Habits with their last three weeks: a colour and a letter for each day, never colour alone.
import { h, svg } from "../dom.js";
import { onTop } from "../hub.js";
import { empty, list, missing, row } from "../parts.js";
import * as resources from "../resources.js";

export const title = "Habits";
export const needs = () => [resources.HABITS];

export function view({ data, problems }) {
  const value = data[resources.HABITS];
  if (!value) return missing(problems[resources.HABITS], "The list of habits");
  const habits = value.habits ?? [];
  if (!habits.length) return empty("repeat", "No habits yet", "An entry with a repeating schedule and the property STYLE: habit appears here.");
  return list(habits.map(x => { const item = onTop(resources.item(x.item)); return item && row(item, { where: false, note: x.streak ? `${x.streak} in a row` : null, actions: graph(x) }); }));
}

/** The days as squares; what they say is in words, too. */
function graph({ marks = "", colours = "" }) {
  const done = [...marks].filter(m => m === "*").length;
  const squares = [...colours].map((c, i) => svg("rect", { x: i * 9, y: 0, width: 7, height: 14, rx: 2, class: `day-${c.toLowerCase()} ${c !== c.toLowerCase() ? "ahead" : ""}` }));
  const stars = [...marks].map((m, i) => m === "*" ? svg("circle", { cx: i * 9 + 3.5, cy: 7, r: 2, class: "day-done" }) : m === "!" ? svg("path", { d: `M${i * 9 + 3.5} 16v4`, class: "day-now" }) : null).filter(Boolean);
  return h("div", { class: "graph" }, svg("svg", { viewBox: `0 0 ${Math.max(colours.length, 1) * 9} 20`, role: "img", "aria-label": `Done on ${done} of the last ${marks.indexOf("!") < 0 ? marks.length : marks.indexOf("!")} days` }, ...squares, ...stars));
}

