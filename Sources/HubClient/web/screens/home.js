// Home: today, the days ahead, and the ways to everything else.
import { h } from "../dom.js";
import { headingDay, today } from "../dates.js";
import { capturedHere, entry, state } from "../hub.js";
import { icon } from "../icons.js";
import { empty, heading, link, list, missing, row, rowMenu, section } from "../parts.js";
import * as resources from "../resources.js";
import { agendaRow, daysToShow, inOrder, strip } from "./agenda.js";

export const title = () => headingDay(today());
export const needs = () => [resources.SESSION, resources.forecast(), resources.FILES, resources.CLOCK];

export async function view({ data, problems }) {
  const value = data[resources.forecast()], days = value && await daysToShow(value);
  return [
    attention(),
    await running(data[resources.CLOCK]?.running),
    days && strip(days.slice(0, 7)),
    days ? todaysList(days[0]) : missing(problems[resources.forecast()], "The agenda"),
    days && ahead(days[0]),
    own(),
    section("Everything else", h("ul", { class: "tiles" }, tiles(data))),
  ];
}

/** What waits for a person, before everything else. */
export function attention() {
  const { conflicts = 0, holds = 0, failing = 0 } = state.counts, refused = state.refused.length;
  const rows = [
    refused && link("#/refused", "conflict", refused === 1 ? "1 edit needs your decision" : `${refused} edits need your decision`, "The entry changed elsewhere, or the hub refused the edit"),
    conflicts && link("#/conflicts", "conflict", conflicts === 1 ? "1 file has a conflict" : `${conflicts} files have a conflict`, "Choose between the versions of two devices"),
    holds && link("#/holds", "hold", "Deletions are held", "Many files would go at once; allow or deny it"),
    failing && link("#/status", "warn", failing === 1 ? "1 remote does not sync" : `${failing} remotes do not sync`, "See why, and what to do"),
  ].filter(Boolean);
  return rows.length ? h("ul", { class: "list attention", "aria-label": "Needs your decision" }, rows) : null;
}

/** The entry whose clock runs. An answer to an edit is newer than what the hub said about the clock before. */
async function running(clock) {
  const item = clock?.item && await entry(clock.item.id);
  if (!item?.clock?.running) return null;
  const stop = h("button", { class: "icon-button", "data-action": "clock", "aria-label": `Stop the clock: ${heading(item)}`, title: "Stop the clock", onclick: async () => (await import("../sheets.js")).clock(item) }, icon("stop"));
  return section("Clock is running", list(row(item, { note: `since ${clock.since}`, actions: h("div", { class: "row-actions" }, stop, rowMenu(item)) })));
}

const isHabit = r => r.habit || r.item?.habit;

function todaysList(day) {
  const rows = inOrder(day.rows.filter(r => r.kind !== "upcomingDeadline" && !isHabit(r)));
  const habits = day.rows.filter(isHabit);
  return [
    section("Today", rows.length ? h("ul", { class: "list" }, rows.map(agendaRow)) : empty("check", "Nothing planned for today", "Capture what is on your mind, or look at the days ahead.")),
    habits.length ? section("Habits", h("ul", { class: "list" }, habits.map(agendaRow))) : null,
  ];
}

function ahead(day) {
  const rows = day.rows.filter(r => r.kind === "upcomingDeadline" && !r.item?.done);
  return rows.length ? section("Due soon", h("ul", { class: "list" }, rows.map(agendaRow))) : null;
}

/** Captured here, not sent yet: always in sight. */
function own() {
  const items = capturedHere();
  return items.length ? section("Captured here, waits to be sent", list(items.map(i => row(i)))) : null;
}

function tiles(data) {
  const files = data[resources.FILES]?.files ?? [];
  const inbox = files.find(f => f.path === data[resources.SESSION]?.inbox?.file);
  return [
    link("#/inbox", "inbox", "Inbox", "", inbox ? inbox.entries : null),
    link("#/review", "review", "Review"),
    link("#/files", "files", "Files", "", files.length || null),
    link("#/tags", "tag", "Tags"),
    link("#/habits", "repeat", "Habits"),
    link("#/bundles", "bundle", "Before and after"),
    link("#/nearby", "place", "Nearby"),
    link("#/history", "history", "History"),
    link("#/status", "sync", "Remotes"),
  ];
}
