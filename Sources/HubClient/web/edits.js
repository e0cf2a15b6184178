// What an edit does to an entry before the hub has answered. Pure: an entry and patches give an entry.
import { parts } from "./dates.js";

/** The states of a file without `#+TODO` lines. */
export const DEFAULT_STATES = { open: ["TODO"], done: ["DONE"] };

export const isDone = (item, states = DEFAULT_STATES) => item.done ?? states.done.includes(item.todo);

/** The entry after these patches, in their order; null if one of them removes it. */
export function applied(item, patches, states = DEFAULT_STATES) {
  let now = item;
  for (const patch of patches) {
    if (!now) return null;
    now = patch.op === "edit" ? edited(now, patch.fields, states)
      : patch.op === "remove" || patch.op === "archive" ? null
      : patch.op === "move" ? { ...now, movedTo: patch.to }
      : patch.op === "check" ? { ...now, body: checked(now.body ?? "", patch.item, patch.new) }
      : patch.op === "clock-in" ? { ...now, clock: { running: patch.at } }
      : patch.op === "clock-out" ? { ...now, clock: null }
      : now;
  }
  return now && patches.length ? { ...now, waiting: true } : now;
}

function edited(item, fields, states) {
  const result = { ...item };
  for (const [name, change] of Object.entries(fields)) {
    if (name === "tags") result.tags = [...new Set([...(item.tags ?? []).filter(t => !change.remove?.includes(t)), ...(change.add ?? [])])];
    else if (name === "properties") result.properties = withProperties(item.properties ?? {}, change);
    else result[name] = change.new;
    if (name === "todo") result.done = states.done.includes(change.new);
  }
  return result;
}

function withProperties(properties, change) {
  const result = { ...properties };
  for (const [key, value] of Object.entries(change)) {
    if (value.new === null) delete result[key];
    else result[key] = value.new;
  }
  return result;
}

/** The text with the box of the list item `label` ticked or not. */
export function checked(body, label, on) {
  let hit = false;
  return body.split("\n").map(line => {
    const found = /^(\s*(?:[-+*]|\d+[.)])\s+(?:\[@\d+\]\s+)?)\[([ X-])\](\s+)(.*)$/.exec(line);
    if (hit || !found || found[4].trim() !== label) return line;
    hit = true;
    return `${found[1]}[${on ? "X" : " "}]${found[3]}${found[4]}`;
  }).join("\n");
}

/** The fields that give an entry the values that a former version of it had; empty if it has them. What other programs find it by stays. */
export function restoring(item, then) {
  const fields = {}, change = (name, old, next) => { if ((old ?? null) !== (next ?? null)) fields[name] = { old: old ?? null, new: next ?? null }; };
  for (const name of ["title", "todo", "priority", "scheduled", "deadline"]) change(name, item[name], then[name]);
  change("body", item.body ?? "", then.body ?? "");
  const add = (then.tags ?? []).filter(t => !item.tags?.includes(t)), remove = (item.tags ?? []).filter(t => !then.tags?.includes(t));
  if (add.length || remove.length) fields.tags = { add, remove };
  const properties = {}, now = item.properties ?? {}, before = then.properties ?? {};
  for (const key of new Set([...Object.keys(now), ...Object.keys(before)])) {
    if (!["ID", "CUSTOM_ID"].includes(key.toUpperCase()) && now[key] !== before[key]) properties[key] = { old: now[key] ?? null, new: before[key] ?? null };
  }
  return Object.keys(properties).length ? { ...fields, properties } : fields;
}

/** The patch that takes an edit back, or null where only the hub can. */
export function inverse(patch) {
  if (patch.op === "add") return { op: "remove", id: patch.id, title: patch.fields?.title?.new };
  if (patch.op === "move" && patch.from) return { ...patch, to: patch.from, from: patch.to };
  if (patch.op === "check") return { ...patch, old: patch.new, new: patch.old };
  if (patch.op !== "edit") return null;
  const fields = {};
  for (const [name, change] of Object.entries(patch.fields)) {
    fields[name] = name === "tags" ? { add: change.remove ?? [], remove: change.add ?? [] }
      : name === "properties" ? Object.fromEntries(Object.entries(change).map(([k, c]) => [k, { old: c.new, new: c.old }]))
      : { old: change.new, new: change.old };
  }
  return { ...patch, fields };
}

/** An entry that was captured here and that the hub does not have yet. */
export function captured(patch, states = DEFAULT_STATES) {
  const fields = Object.fromEntries(Object.entries(patch.fields ?? {}).map(([k, c]) => [k, k === "tags" ? c.add ?? [] : k === "properties" ? withProperties({}, c) : c.new]));
  return {
    id: patch.id, title: "", todo: null, priority: null, tags: [], path: [], scheduled: null, deadline: null, body: "", children: [],
    ...fields, file: patch.targetName ?? "Inbox", captured: true, waiting: true, done: states.done.includes(fields.todo),
  };
}

/** An edit in words, for lists of what waits and of what the hub refused. */
export function inWords(patch, title = "") {
  const name = title || patch.fields?.title?.new || patch.title || "an entry";
  switch (patch.op) {
    case "add": return `Capture “${name}”`;
    case "move": return `Refile “${name}”`;
    case "copy": return `Copy “${name}”`;
    case "archive": return `Archive “${name}”`;
    case "remove": return `Delete “${name}”`;
    case "note": return `Add a note to “${name}”`;
    case "check": return `${patch.new ? "Tick" : "Untick"} “${patch.item}” in “${name}”`;
    case "clock-in": return `Start the clock on “${name}”`;
    case "clock-out": return `Stop the clock on “${name}”`;
    default: return `${Object.entries(patch.fields ?? {}).filter(([, c]) => c.old === undefined || c.old !== c.new).map(([f, c]) => fieldInWords(f, c)).join(", ")} of “${name}”`;
  }
}

function fieldInWords(field, change) {
  if (field === "tags") return `Tags ${[...(change.add ?? []).map(t => `+${t}`), ...(change.remove ?? []).map(t => `−${t}`)].join(" ")}`;
  if (field === "body") return "Text";
  if (field === "properties") return "Properties";
  const label = { todo: "State", title: "Title", priority: "Priority", scheduled: "Scheduled", deadline: "Deadline" }[field] ?? field;
  return field === "title" ? label : `${label} ${change.new ?? "removed"}`;
}

/** The day on which an entry's date puts it into the agenda, or null. */
export const dayIn = text => { const found = parts(text); return found?.active ? found.day : null; };

const REASON = { scheduled: "scheduled", pastScheduled: "scheduled", deadline: "deadline", upcomingDeadline: "deadline" };

/** Agenda rows corrected by what waits here: `items` are the entries after the waiting edits, `touched` their ids. */
export function correctedAgenda(days, items, touched) {
  const byId = new Map(items.map(i => [i.id, i]));
  const kept = days.map(day => ({ ...day, rows: day.rows.filter(r => stays(r, touched, byId)).map(r => ({ ...r, item: r.item && (byId.get(r.item.id) ?? r.item) })) }));
  for (const item of items.filter(i => touched.has(i.id) && !i.done)) {
    for (const kind of ["scheduled", "deadline"]) {
      const day = kept.find(d => d.day === dayIn(item[kind]));
      if (day && !day.rows.some(r => r.item?.id === item.id && REASON[r.kind] === kind)) {
        day.rows.push({ kind, item, time: parts(item[kind])?.time ?? null, extra: "" });
      }
    }
  }
  return kept;
}

function stays(row, touched, byId) {
  if (!row.item || !touched.has(row.item.id)) return true;
  const item = byId.get(row.item.id);
  if (!item) return false;
  // An entry that was ticked here stays in its place until the hub has answered.
  const name = REASON[row.kind];
  return !name || dayIn(item[name]) === dayIn(row.item[name]);
}
