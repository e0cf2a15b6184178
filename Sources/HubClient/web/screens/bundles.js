// Before and after an event: which event, then its tasks as a checklist that is completed in one step.
import * as db from "../db.js";
import { SIDES, eventNames, eventsOf, tasksOf } from "../bundles.js";
import { h } from "../dom.js";
import { knownEntries, localId, resolved, state } from "../hub.js";
import { icon } from "../icons.js";
import { edit, empty, heading, itemLink, link, list, missing, row, rowMenu, section, sheet } from "../parts.js";
import * as resources from "../resources.js";

export const title = ([side, name] = []) => SIDES[side] && name ? `${SIDES[side].title}: ${name}` : "Before and after";
export const needs = () => [resources.BUNDLES];

const key = ([side, name]) => `bundle ${side} ${name?.toLowerCase()}`;

/** What is ticked stays on this device until the checklist is completed, also over a reload. */
export async function enter(rest, own) {
  own.ticked = new Set(await Promise.all((await db.fact(key(rest)) ?? []).map(resolved)));
}

export async function view({ data, problems, rest, own, redraw }) {
  const [side, name] = rest, known = await knownEntries();
  if (!data[resources.BUNDLES] && problems[resources.BUNDLES]?.status) return missing(problems[resources.BUNDLES], "This list");
  return SIDES[side] && name ? checklist(known, rest, own, redraw) : events(known);
}

function events(known) {
  const sections = Object.entries(SIDES).map(([side, { says }]) => [side, says, eventsOf(known, side)]).filter(([, , found]) => found.length);
  const add = h("button", { class: "button", "data-action": "add", onclick: () => addTask(known) }, icon("plus"), "Add a task");
  if (!sections.length) return empty("bundle", "No events yet", "Some tasks belong to an occasion: pack the charger before you go to work, unpack after the journey. Add one, and its event appears here.", add);
  return [sections.map(([side, says, found]) => section(says, h("ul", { class: "list" }, found.map(e => link(address(side, e.name), "bundle", e.name, "", e.open))))),
    h("div", { class: "buttons" }, add)];
}

const address = (side, name) => `#/bundles/${side}/${encodeURIComponent(name)}`;

function checklist(known, rest, own, redraw) {
  const [side, name] = rest, { open, done } = tasksOf(known, side, name), chosen = open.filter(i => own.ticked.has(i.id) && i.todo);
  const keep = async ids => { own.ticked = new Set(ids); await db.setFact(key(rest), [...ids]); await redraw(); };
  const tick = item => keep(own.ticked.has(item.id) ? [...own.ticked].filter(id => id !== item.id) : [...own.ticked, item.id]);
  return [
    open.length ? [h("p", { class: "hint" }, "Tick what you do this time. Nothing changes until you complete it."), h("ul", { class: "list" }, open.map(i => line(i, own.ticked.has(i.id), () => void tick(i))))]
      : empty("check", "Nothing to do", SIDES[side].none),
    h("div", { class: "buttons stick" },
      h("button", { class: "button", "data-action": "add", onclick: () => addTask(known, side, name) }, icon("plus"), "Add a task"),
      chosen.length ? h("button", { class: "button", "data-action": "abandon", onclick: () => void keep([]) }, "Abandon") : null,
      chosen.length ? h("button", { class: "button primary", "data-action": "complete", "data-save": true, onclick: () => void complete(chosen, side, name).then(() => keep([])) }, icon("check"), `Complete ${chosen.length}`) : null),
    done.length ? section("Done earlier", list(done.map(i => row(i, { where: false })))) : null,
  ];
}

/** A task of the checklist: the tick says that it is done this time. One without a state has nothing to tick. */
function line(item, isTicked, act) {
  return h("li", { class: "row", "data-key": item.id },
    item.todo ? h("button", { class: `box ${isTicked ? "on" : ""}`, role: "checkbox", "aria-checked": isTicked ? "true" : "false", "aria-label": `This time: ${heading(item)}`, onclick: act }, isTicked ? icon("check") : null)
      : h("span", { class: "bullet", "aria-hidden": "true" }),
    h("a", { class: "row-link", href: itemLink(item.id) }, h("span", { class: "row-title", dir: "auto" }, heading(item)),
      item.waiting && h("span", { class: "row-marks" }, h("span", { class: "mark waits" }, "waits to be sent"))),
    rowMenu(item));
}

/** One batch, so that it is one step of the history, and one Undo. */
const complete = (items, side, name) => edit(`${items.length} done ${side} “${name}”`,
  ...items.map(i => ({ op: "edit", id: i.id, title: i.title, fields: { todo: { old: i.todo, new: state.states.done[0] } } })));

/** A new task of an event. */
function addTask(known, side = "before", name = "") {
  const title = h("input", { id: "bundle-task", type: "text", autocomplete: "off", dir: "auto", "data-first": true });
  const event = h("input", { id: "bundle-event", type: "text", autocomplete: "off", dir: "auto", list: "bundle-events", value: name });
  const when = h("select", { id: "bundle-side", value: side }, Object.entries(SIDES).map(([value, s]) => h("option", { value }, s.title)));
  const dialog = sheet("Add a task", h("form", { class: "form", onsubmit: e => {
    e.preventDefault();
    const missing = [title, event].find(field => !field.value.trim());
    if (missing) return missing.focus();
    const text = title.value.trim(), at = event.value.trim();
    dialog.close();
    void edit(`Added “${text}”`, { op: "add", id: localId(), fields: { title: { new: text }, todo: { new: state.states.open[0] }, properties: { [SIDES[when.value].property]: { new: at } } } });
  } },
  h("label", { for: "bundle-task" }, "Task"), title,
  h("label", { for: "bundle-side" }, "When"), when,
  h("label", { for: "bundle-event" }, "Event"), event,
  h("datalist", { id: "bundle-events" }, eventNames(known).map(value => h("option", { value }))),
  h("div", { class: "buttons" }, h("button", { class: "button primary", "data-save": true }, "Add"))));
}
