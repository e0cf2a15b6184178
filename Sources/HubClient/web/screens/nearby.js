// Entries near this device, by their distance. The position stays on the device.
import { h } from "../dom.js";
import { knownEntries } from "../hub.js";
import { icon } from "../icons.js";
import { empty, row, rowMenu, section } from "../parts.js";
import { around, direction, inWords, placeOf } from "../places.js";
import { position } from "../position.js";

export const title = "Nearby";
export const needs = () => [];

export async function view({ own, redraw }) {
  const known = await knownEntries(), count = known.filter(i => placeOf(i) && !i.done).length;
  const find = h("button", { class: "button primary", "data-action": "find", disabled: own.finding, onclick: () => void locate(own, redraw) }, icon("place"), own.here ? "Look again" : "Find what is near");
  const said = h("p", { class: own.problem ? "error" : "hint", role: "status" }, own.finding ? "Looking where you are …" : own.problem ?? "");
  if (!count) return empty("place", "No entry has a place", "In an entry, choose Place, and be where it is to be done. Or give it the property COORDINATES.");
  if (!own.here) return [empty("place", `${count} ${count === 1 ? "entry has" : "entries have"} a place`, "Your position stays on this device.", find), said];
  const { near, far } = around(known, own.here);
  const line = ({ item, place, metres }) => row(item, { note: `${inWords(metres)} ${direction(own.here, place)}`, actions: rowMenu(item) });
  return [
    near.length ? section("Here", h("ul", { class: "list" }, near.map(line))) : h("p", { class: "hint" }, "Nothing is to be done right here."),
    far.length ? section("Further away", h("ul", { class: "list" }, far.slice(0, 50).map(line))) : null,
    h("div", { class: "buttons" }, find), said,
  ];
}

async function locate(own, redraw) {
  Object.assign(own, { finding: true, problem: null });
  await redraw();
  try { own.here = await position(); } catch (error) { own.problem = error.message; }
  own.finding = false;
  await redraw();
}
