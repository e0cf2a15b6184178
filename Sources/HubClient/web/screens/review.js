// The review: one entry of the inbox at a time, then the tasks of today, then the first of them.
import { leave } from "../address.js";
import * as db from "../db.js";
import { h } from "../dom.js";
import { moved, today } from "../dates.js";
import { capturedHere, present, state } from "../hub.js";
import { icon } from "../icons.js";
import { confirmed, edit, empty, heading, itemLink, list, missing, row, rowMenu, section } from "../parts.js";
import { preview } from "../preview.js";
import * as resources from "../resources.js";
import { sendReviewed } from "../reviewed.js";
import * as sheets from "../sheets.js";

export const title = "Review";
export const needs = () => [resources.REVIEW];
export const focus = () => document.querySelector("#main [data-choice]")?.focus();

export async function enter(rest, own) {
  own.later = new Set();
  own.decided = new Set();
  own.choices = new Map();
  own.passed = new Set();
  own.isPicked = await db.fact("reviewed") === today();
}

const PICK = "A";

export async function view({ data, problems, own, redraw }) {
  const value = data[resources.REVIEW];
  if (!value) return missing(problems[resources.REVIEW], "The review");
  const lists = {};
  for (const name of ["inbox", "stuck", "waiting", "picks"]) lists[name] = await present(value[name]);
  const waiting = [...capturedHere().filter(i => i.file === "Inbox"), ...lists.inbox].filter(i => waitsForDecision(i) && !own.later.has(i.id));
  if (waiting.length) return decision(waiting, own, redraw);
  if (!own.isPicked) return picking(lists, own, redraw);
  return ending(lists.picks, value, own, redraw);
}

/** The entry that is shown stays, whatever news from the hub come before it: a finger may be on its way to the button. */
const shown = (list, before) => list.find(i => i.id === before?.id) ?? list[0];

/** The same rule as the hub's: an entry without a date, and without a state that says more than that it is to do. */
const waitsForDecision = i => [null, undefined, "TODO"].includes(i.todo) && !i.scheduled && !i.deadline && !i.done;

// -- the inbox -------------------------------------------------------------------------------------------------------------

function decision(waiting, own, redraw) {
  // One that was decided on and is here again was taken back.
  const item = own.asked = waiting.find(i => own.decided.has(i.id)) ?? shown(waiting, own.asked);
  return h("article", { class: "review" },
    h("p", { class: "hint", role: "status" }, `${waiting.length} ${waiting.length === 1 ? "entry" : "entries"} to decide on`),
    h("h2", { class: "review-title", dir: "auto" }, h("a", { href: itemLink(item.id) }, heading(item))),
    item.body?.trim() ? preview(item.body, (label, on) => void edit(null, { op: "check", id: item.id, title: item.title, item: label, old: !on, new: on })) : null,
    h("div", { class: "choices", role: "group", "aria-label": "Decision" }, choices(item, own, redraw).map((c, index) =>
      h("button", { class: "choice", "data-choice": index + 1, "data-action": c.action, "aria-keyshortcuts": String(index + 1), onclick: once(() => { own.decided.add(item.id); c.act(); }) },
        icon(c.icon), h("span", { class: "grow" }, c.label), h("span", { class: "choice-more" }, c.more)))),
    giveUp());
}

/** The second click of a double one would decide about the next entry. */
const once = act => event => { if (event.detail < 2) act(); };

function choices(item, own, redraw) {
  const change = (said, fields) => void edit(said, { op: "edit", id: item.id, title: item.title, fields });
  const wait = state.states.open.find(s => ["WAIT", "WAITING"].includes(s));
  return [
    { icon: "check", label: "Do it today", more: "scheduled for today", action: "today", act: () => change(`Today: ${heading(item)}`, {
      scheduled: { old: null, new: moved(null, today()) }, priority: { old: item.priority ?? null, new: PICK }, ...(item.todo ? {} : { todo: { old: null, new: state.states.open[0] } }) }) },
    { icon: "date", label: "Schedule it", more: "another day", action: "scheduled", act: () => sheets.date(item, "scheduled") },
    wait && { icon: "user", label: "Wait for another person", more: wait, action: "wait", act: () => change(`${wait}: ${heading(item)}`, { todo: { old: item.todo ?? null, new: wait } }) },
    { icon: "refile", label: "File it", more: "where it belongs", action: "refile", act: () => void sheets.refile(item) },
    { icon: "archive", label: "Archive it", more: "kept for the record", action: "archive", act: () => void sheets.archive(item) },
    { icon: "trash", label: "Drop it", more: "deleted", action: "drop", act: () => void edit(`Dropped “${heading(item)}”`, { op: "remove", id: item.id, title: item.title, ...(item.waiting ? {} : { revision: item.subtreeRevision }) }) },
    { icon: "clock", label: "Later", more: "asked again in the next review", action: "later", act: () => { own.later.add(item.id); void redraw(); } },
  ].filter(Boolean);
}

const giveUp = () => h("div", { class: "buttons" }, h("button", { class: "text-button", "data-action": "give-up", onclick: async () => {
  const days = new Set(await db.fact("gave up") ?? []);
  if (!await confirmed("Give up for today?", "Your decisions stay. The day does not count as reviewed.", "I give up for today")) return;
  await db.setFact("gave up", [...days, today()].slice(-400));
  leave("#/review", () => { location.hash = "#/"; });
} }, "I give up for today"));

// -- today -----------------------------------------------------------------------------------------------------------------

/** What the person chose; else the choice of before. A task may be listed only later, when the hub has answered. */
const isChosen = (item, own) => own.choices.get(item.id) ?? item.priority === PICK;

function picking(lists, own, redraw) {
  const tasks = lists.picks.filter(i => !i.done);
  const choose = item => { own.choices.set(item.id, !isChosen(item, own)); void redraw(); };
  const chosen = tasks.filter(i => isChosen(i, own));
  return [
    section("What is today about?", tasks.length ? h("div", { class: "choices", role: "group", "aria-label": "Tasks that are due or next" }, tasks.map(i =>
      h("button", { class: `choice ${isChosen(i, own) ? "on" : ""}`, "data-key": i.id, "data-choice": "", "aria-pressed": isChosen(i, own) ? "true" : "false", onclick: () => choose(i) },
        h("span", { class: "grow", dir: "auto" }, heading(i)), h("span", { class: "choice-more", dir: "auto" }, i.file), isChosen(i, own) ? icon("check") : null)))
      : h("p", { class: "hint" }, "No task is due, and none is a next action.")),
    h("div", { class: "buttons stick" }, h("button", { class: "button primary", "data-action": "picked", "data-save": true, onclick: () => void finish(tasks, own, redraw) },
      chosen.length ? `Do ${chosen.length === 1 ? "this" : `these ${chosen.length}`} today` : "Nothing in particular")),
    more("Projects without a next action", lists.stuck), more("Waiting for another person", lists.waiting),
    giveUp(),
  ];
}

const more = (name, items) => items.length ? h("details", { class: "details", "data-key": name }, h("summary", {}, `${name}: ${items.length}`), list(items.map(i => row(i, { actions: rowMenu(i) })))) : null;

/** Gives the chosen tasks the highest priority, and takes it from those that are not chosen any longer. */
async function finish(tasks, own, redraw) {
  const changed = tasks.filter(i => isChosen(i, own) !== (i.priority === PICK));
  if (changed.length) {
    await edit("Today's tasks are chosen", ...changed.map(i => ({ op: "edit", id: i.id, title: i.title, fields: { priority: { old: i.priority ?? null, new: isChosen(i, own) ? PICK : null } } })));
  }
  own.isPicked = true;
  await db.setFact("reviewed", today());
  await sendReviewed();
  await redraw();
}

// -- one task --------------------------------------------------------------------------------------------------------------

async function ending(picks, value, own, redraw) {
  const tasks = picks.filter(i => !i.done && i.priority === PICK && !own.passed.has(i.id)), item = own.begun = shown(tasks, own.begun);
  const streak = value.done ? value.streak : value.streak + 1, gaveUp = (await db.fact("gave up") ?? []).length;
  const said = h("p", { class: "hint", role: "status" }, `Reviewed ${streak} ${streak === 1 ? "day" : "days"} in a row${gaveUp ? `, given up on ${gaveUp}` : ""}.`);
  if (!item) return [empty("check", "The review is done", "", h("a", { class: "button primary", href: "#/" }, "Go to today")), said];
  return [h("article", { class: "review" },
    h("p", { class: "hint" }, "Begin with"), h("h2", { class: "review-title", dir: "auto" }, h("a", { href: itemLink(item.id) }, heading(item))),
    h("div", { class: "buttons" },
      h("button", { class: "button", "data-action": "not-now", onclick: once(() => { own.passed.add(item.id); void redraw(); }) }, "Not now"),
      h("button", { class: "button primary", "data-action": "done", "data-choice": "", onclick: once(() => void edit(`${heading(item)}: ${state.states.done[0]}`, { op: "edit", id: item.id, title: item.title, fields: { todo: { old: item.todo ?? null, new: state.states.done[0] } } })) }, icon("check"), "Done"))), said];
}
