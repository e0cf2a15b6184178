// Tasks before and after an event, such as leaving the house: the properties BEFORE and AFTER name it. Pure.

/** The sides of an event: the property of each, and what a person says who is there. */
export const SIDES = {
  before: { property: "BEFORE", title: "Before", says: "I am about to …", none: "Nothing is to be done before this." },
  after: { property: "AFTER", title: "After", says: "I have just finished …", none: "Nothing is to be done after this." },
};

/** The name of the property of a side, as the entry writes it, and the event; null if it has none. */
export function eventOf(item, side) {
  const found = Object.entries(item.properties ?? {}).find(([key, value]) => key.toUpperCase() === SIDES[side].property && value?.trim());
  return found ? { key: found[0], name: found[1].trim() } : null;
}

/** Two spellings that differ in capitals are one event, as in the queries `before.` and `after.`. */
export const isSame = (one, other) => one.toLowerCase() === other.toLowerCase();

/** The entries on a side of an event, in the order of their files: those to do, and those that are done. */
export function tasksOf(items, side, name) {
  const mine = items.filter(i => { const event = eventOf(i, side); return event && isSame(event.name, name); })
    .sort((a, b) => (a.file ?? "").localeCompare(b.file ?? "") || (a.line ?? Infinity) - (b.line ?? Infinity) || 0);
  return { open: mine.filter(i => !i.done), done: mine.filter(i => i.done) };
}

/** The events of a side with the number of entries to do, in the order of their names. */
export function eventsOf(items, side) {
  const found = new Map();
  for (const item of items) {
    const event = eventOf(item, side);
    if (!event) continue;
    const key = event.name.toLowerCase(), known = found.get(key) ?? { name: event.name, open: 0 };
    found.set(key, { ...known, open: known.open + (item.done ? 0 : 1) });
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** The names of all events, for a choice. */
export const eventNames = items => [...new Map(Object.keys(SIDES).flatMap(side => eventsOf(items, side)).map(e => [e.name.toLowerCase(), e.name])).values()].sort((a, b) => a.localeCompare(b));
