// The actions on an entry, each a sheet with the likely choices first.
import { SIDES, eventNames, eventOf } from "./bundles.js";
import { h } from "./dom.js";
import { human, humanStamp, moved, parts, plus, repeater, stamp, today, understood, weekday } from "./dates.js";
import { ask, fetched, kept, knownEntries, state, HubError } from "./hub.js";
import * as db from "./db.js";
import { icon } from "./icons.js";
import { confirmed, edit, heading, notice, sheet, toggle } from "./parts.js";
import { placeOf } from "./places.js";
import { asText, position } from "./position.js";
import * as resources from "./resources.js";

const patch = (item, fields) => ({ op: "edit", id: item.id, title: item.title, fields });
const choice = (label, more, act, { on = false, first = false, value = null } = {}) =>
  h("button", { class: `choice ${on ? "on" : ""}`, "aria-pressed": on ? "true" : "false", "data-first": first, value, onclick: act },
    h("span", { class: "grow", dir: "auto" }, label), more && h("span", { class: "choice-more", dir: "auto" }, more), on ? icon("check") : null);

/** All actions, for the menu of a row. */
export function actions(item) {
  const dialog = sheet(heading(item), h("div", { class: "choices" },
    ACTIONS.filter(a => !a.if || a.if(item)).map((a, index) => h("button", { class: `choice ${a.danger ? "danger" : ""}`, "data-first": index === 0, onclick: () => { dialog.close(); a.act(item); } },
      icon(a.icon), h("span", { class: "grow" }, a.label(item))))));
  return dialog;
}

const ACTIONS = [
  { icon: "check", label: i => i.done ? "Reopen" : "Done", act: toggle, if: i => i.todo },
  { icon: "check", label: () => "State", act: i => todo(i) },
  { icon: "date", label: () => "Schedule", act: i => date(i, "scheduled") },
  { icon: "flag", label: () => "Deadline", act: i => date(i, "deadline") },
  { icon: "refile", label: () => "Refile", act: i => refile(i) },
  { icon: "clock", label: i => i.clock?.running ? "Stop the clock" : "Start the clock", act: i => clock(i) },
  { icon: "tag", label: () => "Tags", act: i => tags(i) },
  { icon: "bundle", label: () => "Before or after", act: i => event(i) },
  { icon: "place", label: () => "Place", act: i => place(i) },
  { icon: "archive", label: () => "Archive", act: i => archive(i) },
];

export function todo(item) {
  const choose = next => { dialog.close(); if (next !== (item.todo ?? null)) void edit(`State ${next ?? "removed"}`, patch(item, { todo: { old: item.todo ?? null, new: next } })); };
  const dialog = sheet("State", h("div", { class: "choices" },
    state.states.open.map((s, i) => choice(s, null, () => choose(s), { on: s === item.todo, first: i === 0 })),
    state.states.done.map(s => choice(s, "finished", () => choose(s), { on: s === item.todo })),
    choice("No state", null, () => choose(null), { on: !item.todo })));
}

const PRIORITIES = ["A", "B", "C"];
export function priority(item) {
  const choose = next => { dialog.close(); if (next !== (item.priority ?? null)) void edit(`Priority ${next ?? "removed"}`, patch(item, { priority: { old: item.priority ?? null, new: next } })); };
  const dialog = sheet("Priority", h("div", { class: "choices" },
    PRIORITIES.map((p, i) => choice(p, ["highest", "default", "lowest"][i], () => choose(p), { on: p === item.priority, first: i === 0 })),
    choice("No priority", null, () => choose(null), { on: !item.priority })));
}

const WORD = { scheduled: "Schedule", deadline: "Deadline" };

/** The day for SCHEDULED or DEADLINE: the likely days as buttons, any other by calendar or words. */
export function date(item, name) {
  chooseDay(WORD[name], item[name] ?? null, next => {
    if (next === (item[name] ?? null)) return;
    void edit(`${WORD[name]}: ${next ? humanStamp(next, today()) : "removed"}`, patch(item, { [name]: { old: item[name] ?? null, new: next } }));
  });
}

export function chooseDay(title, old, done) {
  const now = today(), was = parts(old);
  const days = [["Today", now], ["Tomorrow", plus(now, 1)], ["Weekend", plus(now, ((6 - weekday(now) + 7) % 7) || 7)], ["Next week", plus(now, ((8 - weekday(now)) % 7) || 7)]];
  const finish = next => { dialog.close(); done(next); };
  const words = h("input", { id: "day-words", type: "text", autocomplete: "off", autocapitalize: "none", placeholder: "fri 10:00, +2w, 24 dec", "aria-describedby": "day-meaning", oninput: said });
  const meaning = h("p", { id: "day-meaning", class: "hint", role: "status" });
  const day = h("input", { id: "day-date", type: "date", value: was?.day ?? "" }), time = h("input", { id: "day-time", type: "time", value: was?.time ?? "" });
  const repeat = h("select", { id: "day-repeat", value: repeater(old) ?? "" }, [["", "never"], ["+1d", "every day"], ["+1w", "every week"], ["+2w", "every 2 weeks"], ["+1m", "every month"], ["+1y", "every year"],
    ["++1d", "every day, skipping missed ones"], ["++1w", "every week, skipping missed ones"], [".+1d", "1 day after it is done"], [".+1w", "1 week after it is done"],
    ...(repeater(old) ? [[repeater(old), repeater(old)]] : [])].filter(([v], i, all) => all.findIndex(o => o[0] === v) === i).map(([value, label]) => h("option", { value }, label)));
  function said() {
    const found = words.value.trim() ? understood(words.value, now) : null;
    meaning.textContent = !words.value.trim() ? "" : found ? `${human(found.day, now)} ${found.day}${found.time ? ` ${found.time}` : ""}` : "Not understood. Try “fri”, “+2w” or “24 dec 10:00”.";
    if (found) { day.value = found.day; if (found.time) time.value = found.time; }
  }
  function save(event) {
    event.preventDefault();
    if (words.value.trim() && !understood(words.value, now)) return words.focus();
    if (!day.value) return day.focus();
    const others = (was?.cookies ?? "").split(/\s+/).filter(c => c && c !== repeater(old));
    finish(stamp({ day: day.value, time: time.value || null, end: time.value && time.value === was?.time ? was.end : null, cookies: [repeat.value, ...others].filter(Boolean).join(" ") }));
  }
  const dialog = sheet(title,
    h("div", { class: "days" }, days.map(([label, at], i) => h("button", { class: `day-choice ${was?.day === at ? "on" : ""}`, "data-first": i === 0, onclick: () => finish(moved(old, at)) },
      h("span", { class: "day-name" }, label), h("span", { class: "day-when" }, human(at, "0000-01-01").replace(/ \d{4}$/, ""))))),
    h("form", { class: "form", onsubmit: save },
      h("label", { for: "day-words" }, "In words"), words, meaning,
      h("div", { class: "pair" }, h("div", {}, h("label", { for: "day-date" }, "Day"), day), h("div", {}, h("label", { for: "day-time" }, "Time"), time)),
      h("label", { for: "day-repeat" }, "Repeats"), repeat,
      h("div", { class: "buttons" }, old ? h("button", { type: "button", class: "button", onclick: () => finish(null) }, "Remove") : null,
        h("button", { class: "button primary", "data-save": true }, "Set"))));
}

export async function tags(item) {
  const known = ((await kept(resources.TAGS))?.value?.tags ?? []).map(t => t.name);
  const before = new Set(item.tags ?? []), now = new Set(before);
  const all = [...new Set([...before, ...known])].slice(0, 60);
  const field = h("input", { id: "new-tag", type: "text", autocapitalize: "none", autocomplete: "off", pattern: "[\\p{L}\\p{N}_@#%]+", title: "Letters, digits, _ @ # %" });
  const buttons = all.map(t => tagButton(t));
  function tagButton(name) {
    return h("button", { type: "button", class: `chip toggle ${now.has(name) ? "set" : ""}`, "aria-pressed": now.has(name) ? "true" : "false", onclick: event => {
      const button = event.currentTarget;
      now.has(name) ? now.delete(name) : now.add(name);
      button.classList.toggle("set", now.has(name));
      button.setAttribute("aria-pressed", now.has(name) ? "true" : "false");
    } }, h("span", {}, name));
  }
  const dialog = sheet("Tags", h("form", { class: "form", onsubmit: event => {
    event.preventDefault();
    if (field.value.trim()) now.add(field.value.trim());
    const add = [...now].filter(t => !before.has(t)), remove = [...before].filter(t => !now.has(t));
    dialog.close();
    if (add.length || remove.length) void edit("Tags changed", patch(item, { tags: { add, remove } }));
  } }, all.length ? h("div", { class: "chips" }, buttons) : h("p", { class: "hint" }, "There are no tags yet."),
  h("label", { for: "new-tag" }, "New tag"), field,
  h("div", { class: "buttons" }, h("button", { class: "button primary", "data-save": true }, "Save tags"))));
}

/** The event before or after which the entry is to be done. */
export async function event(item) {
  const names = eventNames(await knownEntries());
  const fields = Object.entries(SIDES).map(([side, { title }]) => {
    const now = eventOf(item, side), id = `event-${side}`;
    return { side, now, label: h("label", { for: id }, title), field: h("input", { id, type: "text", autocomplete: "off", dir: "auto", list: "event-names", value: now?.name ?? "", "data-first": side === "before" }) };
  });
  const dialog = sheet("Before or after", h("form", { class: "form", onsubmit: e => {
    e.preventDefault();
    const changed = fields.map(f => ({ ...f, next: f.field.value.trim() || null })).filter(f => f.next !== (f.now?.name ?? null));
    dialog.close();
    if (changed.length) void edit(changed.map(f => `${SIDES[f.side].title}: ${f.next ?? "removed"}`).join(", "),
      patch(item, { properties: Object.fromEntries(changed.map(f => [f.now?.key ?? SIDES[f.side].property, { old: f.now ? item.properties[f.now.key] : null, new: f.next }])) }));
  } }, h("p", { class: "hint" }, "Name an event, such as “leave the house”. The task appears in its checklist."),
  fields.map(f => [f.label, f.field]), h("datalist", { id: "event-names" }, names.map(value => h("option", { value }))),
  h("div", { class: "buttons" }, h("button", { class: "button primary", "data-save": true }, "Save"))));
}

/** Where the entry is to be done: here, at typed coordinates, or anywhere. */
export function place(item) {
  const key = Object.keys(item.properties ?? {}).find(name => name.toUpperCase() === "COORDINATES") ?? "COORDINATES", old = item.properties?.[key] ?? null;
  const field = h("input", { id: "place-text", type: "text", autocomplete: "off", inputmode: "text", value: old ?? "", placeholder: "48.20820,16.37380", "aria-describedby": "place-problem", "data-first": true });
  const problem = h("p", { id: "place-problem", class: "error", role: "alert" });
  const here = async () => { try { field.value = asText(await position()); problem.textContent = ""; } catch (error) { problem.textContent = error.message; } };
  const dialog = sheet("Place", h("form", { class: "form", onsubmit: e => {
    e.preventDefault();
    const next = field.value.trim() || null;
    if (next && !placeOf({ properties: { COORDINATES: next } })) { problem.textContent = "Latitude and longitude in degrees, such as 48.20820,16.37380."; return field.focus(); }
    dialog.close();
    if (next !== old) void edit(next ? "Place set" : "Place removed", patch(item, { properties: { [key]: { old, new: next } } }));
  } }, h("label", { for: "place-text" }, "Latitude and longitude"), field, problem,
  h("div", { class: "buttons" }, h("button", { type: "button", class: "button", "data-action": "here", onclick: () => void here() }, icon("place"), "Here"), h("button", { class: "button primary", "data-save": true }, "Save"))));
}

export function note(item) {
  const field = h("textarea", { id: "note-text", rows: 5, "data-first": true });
  const dialog = sheet("Note", h("form", { class: "form", onsubmit: event => {
    event.preventDefault();
    if (!field.value.trim()) return field.focus();
    dialog.close();
    void edit("Note added", { op: "note", id: item.id, title: item.title, text: field.value });
  } }, h("label", { for: "note-text" }, "Text of the note"), field, h("p", { class: "hint" }, "It is added to the entry's log with the present time."),
  h("div", { class: "buttons" }, h("button", { class: "button primary", "data-save": true }, "Add note"))));
}

/** Where an entry can go: the last five targets first, all others by search. Gives true if the person chose one. */
export async function refile(item) {
  const to = await chooseTarget("Refile to", item);
  if (!to) return false;
  await edit(`Refiled to ${to.name}`, { op: "move", id: item.id, title: item.title, to: to.id, toName: to.name, from: item.parent ?? item.fileId });
  return true;
}

export async function chooseTarget(title, item = null) {
  let list = (await kept(resources.TARGETS))?.value;
  if (!list) {
    try { list = await fetched(resources.TARGETS); } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return void notice("The list of targets was not loaded yet; the hub has to be reached once.");
    }
  }
  const isOther = t => t.id !== item?.id, targets = list.targets.filter(isOther);
  const recent = ((await db.fact("targets")) ?? []).map(t => targets.find(other => other.id === (t.id ?? t)) ?? (t.name ? t : null)).filter(t => t && isOther(t));
  return new Promise(answer => {
    const found = h("div", { class: "choices", role: "group", "aria-label": "Targets" });
    const choose = async target => {
      await db.setFact("targets", [target, ...recent.filter(t => t.id !== target.id)].slice(0, 5));
      answer(target);
      dialog.close();
    };
    const field = h("input", { id: "target-search", type: "search", autocomplete: "off", oninput: () => { fill(); clearTimeout(asking); if (list.more && field.value.trim()) asking = setTimeout(askHub, 250); } });
    let asking;
    /** Of many targets, this device keeps some only. */
    async function askHub() {
      const text = field.value;
      const answer = await ask("GET", resources.targetsHaving(text)).catch(error => { if (!(error instanceof HubError)) throw error; return null; });
      if (answer && field.value === text) fill(answer.value.targets.filter(isOther));
    }
    function fill(more = []) {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const known = words.length ? targets.filter(t => words.every(w => t.name.toLowerCase().includes(w))) : [...recent, ...targets.filter(t => !recent.includes(t))];
      const hits = [...known, ...more.filter(t => !known.some(other => other.id === t.id))];
      found.replaceChildren(...hits.slice(0, 60).map((t, i) => choice(t.name, !words.length && i < recent.length ? "recent" : null, () => choose(t), { first: i === 0 && !words.length })),
        ...(hits.length ? [] : [h("p", { class: "hint" }, "No target has these words.")]));
    }
    fill();
    const dialog = sheet(title, h("div", { class: "form" }, h("label", { for: "target-search" }, "Search"), field), found);
    dialog.addEventListener("close", () => answer(null));
  });
}

/** Gives true, once the edit is kept. */
export async function archive(item) {
  await edit(`Archived “${heading(item)}”`, { op: "archive", id: item.id, title: item.title });
  return true;
}

/** Asks, and then deletes. Gives true if the person confirmed it. */
export async function remove(item) {
  const children = item.children?.length ?? 0;
  if (!await confirmed("Delete this entry?", `“${heading(item)}”${children ? ` and everything below it` : ""} is removed from ${item.file}. The history of the hub keeps it.`, "Delete")) return false;
  // Waiting edits of this device give the entry another revision, which the hub says when they are sent.
  await edit(`Deleted “${heading(item)}”`, { op: "remove", id: item.id, title: item.title, ...(item.waiting ? {} : { revision: item.subtreeRevision }) });
  return true;
}

export function clock(item) {
  return item.clock?.running
    ? edit("Clock stopped", { op: "clock-out", id: item.id, title: item.title })
    : edit(`Clock started: ${heading(item)}`, { op: "clock-in", id: item.id, title: item.title });
}
