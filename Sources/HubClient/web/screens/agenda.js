// The agenda: a day, a week or two, as a list; overdue first, then what has a time, then the rest.
import { h } from "../dom.js";
import { daysBetween, human, isDay, longDay, monday, plus, shortWeekday, today } from "../dates.js";
import { correctedAgenda } from "../edits.js";
import { knownEntries, touched } from "../hub.js";
import { icon } from "../icons.js";
import { missing, row, rowMenu } from "../parts.js";
import * as resources from "../resources.js";

export const title = "Agenda";
const SPANS = { day: 1, week: 7, fortnight: 14 };
const NAMES = { day: "Day", week: "Week", fortnight: "2 weeks" };

function wanted([from, span]) {
  const length = SPANS[span] ? span : "week";
  const day = isDay(from) ? from : today();
  return { from: length === "day" ? day : isDay(from) ? monday(day) : day, span: length };
}

const path = rest => { const { from, span } = wanted(rest); return resources.agenda(from, SPANS[span]); };
/** The days from today on come with the fortnight that a device always keeps. */
export const needs = rest => [...new Set([path(rest), resources.forecast()])];

export async function view({ data, problems, rest }) {
  const { from, span } = wanted(rest);
  const value = data[path(rest)] ?? keptPart(data[resources.forecast()], from, SPANS[span]);
  const shown = value && await daysToShow(value);
  return [controls(from, span), shown ? shown.map(dayList) : missing(problems[path(rest)], "This part of the agenda")];
}

function keptPart(value, from, count) {
  const found = (value?.days ?? []).filter(d => d.date >= from && d.date < plus(from, count));
  return found.length === count ? { days: found } : null;
}

/** The hub's days with what waits on this device. */
export async function daysToShow(value) {
  return correctedAgenda(resources.days(value), await knownEntries(), touched());
}

function controls(from, span) {
  const step = SPANS[span], go = (day, to = span) => `#/agenda/${day}/${to}`;
  return h("div", { class: "controls" },
    h("div", { class: "stepper" },
      h("a", { class: "icon-button", href: go(plus(from, -step)), "aria-label": "Earlier" }, icon("back")),
      h("a", { class: "text-button", href: "#/agenda" }, "Today"),
      h("a", { class: "icon-button", href: go(plus(from, step)), "aria-label": "Later" }, icon("next"))),
    h("div", { class: "segments", role: "group", "aria-label": "Length" }, Object.keys(SPANS).map(s =>
      h("a", { href: go(from, s), "aria-current": s === span ? "true" : null }, NAMES[s]))));
}

function dayList(day) {
  const now = today(), rows = inOrder(day.rows);
  return h("section", { class: `day ${day.day === now ? "is-today" : ""} ${rows.length ? "" : "is-empty"}`, "data-key": day.day },
    h("h2", { class: "day-title" }, h("a", { href: `#/agenda/${day.day}/day` }, day.day === now ? `Today, ${longDay(day.day)}` : longDay(day.day))),
    rows.length ? h("ul", { class: "list" }, rows.map(agendaRow)) : h("p", { class: "hint" }, day.day === now ? "Nothing planned." : "Free"));
}

const RANK = r => r.kind === "deadline" || r.kind === "pastScheduled" ? 0 : r.time ? 1 : r.kind === "upcomingDeadline" ? 3 : 2;
/** Overdue first, then by time, then the rest, deadlines ahead last; habits after all of them. */
export const inOrder = rows => [...rows].map((r, i) => [r, i]).sort(([a, i], [b, j]) =>
  (a.habit ? 1 : 0) - (b.habit ? 1 : 0) || RANK(a) - RANK(b) || (a.time ?? "").localeCompare(b.time ?? "") || i - j).map(([r]) => r);

/** What Org writes before a row, in words. */
function reason(r) {
  const number = /-?\d+/.exec(r.extra ?? "")?.[0];
  switch (r.kind) {
    case "pastScheduled": return number ? `${Math.max(1, number - 1)} ${number - 1 === 1 ? "day" : "days"} late` : "late";
    case "upcomingDeadline": return number ? `due in ${number} ${number === "1" ? "day" : "days"}` : "due soon";
    case "deadline": return /ago/.test(r.extra ?? "") ? `due ${number} ${number === "1" ? "day" : "days"} ago` : "due today";
    case "scheduled": return null;
    case "timestamp": return null;
    default: return (r.extra ?? "").trim().replace(/:$/, "") || null;
  }
}

export function agendaRow(r) {
  const time = r.time ? r.time + (r.endTime ? `\u2013${r.endTime}` : "") : null;
  if (!r.item) return h("li", { class: "row plain", "data-key": `${r.text}` }, h("span", { class: "bullet" }), h("span", { class: "row-link", dir: "auto" }, time && h("span", { class: "time" }, time), r.text));
  const element = row(r.item, { lead: time, note: reason(r), without: r.kind, actions: rowMenu(r.item) });
  element.setAttribute("data-key", `${r.item.id} ${r.kind} ${r.time ?? ""}`);
  if (r.kind === "upcomingDeadline") element.classList.add("is-ahead");
  return element;
}

/** The days as a strip with counts. */
export function strip(days) {
  return h("ol", { class: "strip", "aria-label": "Next days" }, days.map(d => {
    const count = d.rows.filter(r => r.item && !r.item.done && r.kind !== "upcomingDeadline").length;
    const away = daysBetween(today(), d.day);
    return h("li", {}, h("a", { href: `#/agenda/${d.day}/day`, "aria-label": `${human(d.day, today())}: ${count} ${count === 1 ? "entry" : "entries"}`, class: away === 0 ? "is-today" : null },
      h("span", { class: "strip-name" }, shortWeekday(d.day)), h("span", { class: "strip-date" }, String(+d.day.slice(8))),
      h("span", { class: `strip-count ${count ? "" : "none"}` }, count ? String(count) : "\u2013")));
  }));
}

