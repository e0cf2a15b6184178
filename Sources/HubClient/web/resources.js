// The hub's resources: their addresses, and what this client makes of them. The only file that knows the API's members.
import { today } from "./dates.js";

export const SESSION = "/session";
export const STATUS = "/status";
export const CONFLICTS = "/conflicts";
export const HOLDS = "/holds";
export const FILES = "/files";
export const TAGS = "/tags";
export const TEMPLATES = "/templates";
export const TARGETS = "/targets?level=2&limit=2000";
export const HABITS = "/habits";
export const BUNDLES = "/bundles";
export const CLOCK = "/clock";
export const PASSES = "/passes?limit=50";
export const DEVICES = "/devices";
export const REVIEW = "/review";
export const SETTINGS = "/settings";
export const PUSH = "/push";

export const agenda = (from, days) => `/agenda?from=${from}&days=${days}`;
/** The days that Home shows and that a device always has. */
export const forecast = () => agenda(today(), 14);
export const itemPath = id => `/items/${encodeURIComponent(id)}`;
/** The id in the address of an entry, or null. */
export const askedItem = path => /^\/items\/([^/?]+)$/.exec(path)?.[1] ? decodeURIComponent(path.slice(7)) : null;
export const changes = conflict => `/conflicts/changes?path=${encodeURIComponent(conflict.path)}&remote=${encodeURIComponent(conflict.remote)}&pass=${conflict.pass}`;
export const history = id => `${itemPath(id)}/history`;
export const outline = id => `/files/${encodeURIComponent(id)}/outline`;
/** The targets with some words, of those that are not kept. */
export const targetsHaving = words => `/targets?level=2&limit=60&q=${encodeURIComponent(words)}`;
export const search = words => `/items?limit=100&q=${encodeURIComponent(words)}`;

/** What a device fetches whenever it meets the hub. */
export const kept = () => [SESSION, forecast(), FILES, TEMPLATES, TARGETS, CLOCK, HABITS, TAGS, BUNDLES, REVIEW];
export const firstPage = "/items?limit=200&body=true";

/** A page of entries and the address of the next one. */
export function page(value) {
  return { items: (value?.items ?? []).map(item), next: value?.next ? `${firstPage}&after=${encodeURIComponent(value.next)}` : null };
}

/** An entry as the client keeps it; children are kept by id. */
export function item(value) {
  if (!value) return null;
  const { children, checkboxes, section, ...rest } = value;
  const properties = Array.isArray(value.properties) ? Object.fromEntries(value.properties.map(p => [p.key, p.value])) : value.properties ?? {};
  return { ...rest, properties, ...(children ? { children: children.map(c => c.id ?? c) } : {}) };
}

/** What is known of an entry with what a list says of it: a text of another revision is not its text now. */
export function merged(known, item) {
  if (!known || known.revision === item.revision || item.body !== undefined) return { ...known, ...item };
  const { body, subtreeRevision, ...rest } = known;
  return { ...rest, ...item };
}

const withChildren = value => [value, ...(value?.children ?? []).filter(c => typeof c === "object")];

/** All entries in an answer, so that they are there without the hub. */
export function itemsIn(path, value) {
  if (!value) return [];
  const found = path.startsWith("/agenda") ? (value.days ?? []).flatMap(d => d.rows.map(r => r.item))
    : askedItem(path) ? withChildren(value)
    : path.startsWith("/items") || path.includes("/outline") || path === BUNDLES ? value.items
    : path === HABITS ? (value.habits ?? []).map(x => x.item)
    : path === REVIEW ? ["inbox", "stuck", "waiting", "picks"].flatMap(list => value[list])
    : path === CLOCK ? [value.running?.item]
    : [];
  return (found ?? []).filter(Boolean).map(item);
}

/** Days with rows of entries: `{day, rows: [{kind, time, endTime, extra, text, habit, item}]}`. */
export const days = value => (value?.days ?? []).map(d => ({ day: d.date, rows: d.rows.map(r => ({ ...r, item: item(r.item) })) }));

/** A patch with the ids that the hub gave meanwhile. */
export function renamed(patch, real) {
  const result = { ...patch };
  for (const member of ["id", "to", "target"]) if (result[member] && !(member === "id" && patch.op === "add")) result[member] = real(result[member]);
  return result;
}

/** A patch as it is sent: what only this device wants to know stays here. */
export function outgoing({ op, ...patch }) {
  const { targetName, toName, from, title, made, at, ...sent } = patch;
  // The template makes the fields.
  if (sent.template) delete sent.fields;
  return { op, ...sent };
}

export const counts = status => {
  const remotes = status?.remotes ?? [];
  const conflicts = remotes.reduce((sum, r) => sum + (r.conflicts?.length ?? 0), 0);
  const holds = remotes.reduce((sum, r) => sum + held(r).length, 0);
  const failing = remotes.filter(r => ["failed", "unreachable", "unauthorized", "damaged"].includes(r.result ?? r.state)).length;
  return { conflicts, holds, failing };
};

/** The held deletions of a remote as an array. */
export const held = remote => [remote?.held ?? remote?.holds ?? []].flat().filter(x => x && typeof x === "object");
