// Org's timestamps and the words that people type for days. Pure: today is handed in as "2026-11-28".

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const LONG_DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = n => String(n).padStart(2, "0");
const utc = day => new Date(`${day}T00:00:00Z`);

/** The day of a local moment. */
export const dayOf = moment => `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
export const today = () => dayOf(new Date());

/** The day `count` days later. */
export function plus(day, count) {
  const date = utc(day);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, 10);
}

export const daysBetween = (from, to) => Math.round((utc(to) - utc(from)) / 86_400_000);
export const weekday = day => utc(day).getUTCDay();
export const monday = day => plus(day, -((weekday(day) + 6) % 7));
export const isDay = text => /^\d{4}-\d\d-\d\d$/.test(text ?? "") && !Number.isNaN(+utc(text)) && plus(text, 0) === text;

/** The parts of `<2026-11-25 Wed 10:00-11:00 +1w -3d>`, or null. */
export function parts(stamp) {
  const found = /^([<[])(\d{4}-\d\d-\d\d)(?: +[^\s\d>\]+.-][^\s>\]]*)?(?: +(\d{1,2}:\d\d)(?:-(\d{1,2}:\d\d))?)?((?: +[-+.][^\s>\]]+)*)[>\]]/.exec(stamp ?? "");
  if (!found) return null;
  const [, bracket, day, time, end, rest] = found;
  return { active: bracket === "<", day, time: time?.padStart(5, "0") ?? null, end: end?.padStart(5, "0") ?? null, cookies: rest.trim() };
}

/** An active timestamp of these parts. */
export function stamp({ day, time, end, cookies }) {
  return `<${[day, DAYS[weekday(day)], time ? time + (end ? `-${end}` : "") : null, cookies || null].filter(Boolean).join(" ")}>`;
}

/** The timestamp for another day and time; repeater and warning period stay, as in Emacs. */
export const moved = (old, day, time) => {
  const was = parts(old);
  const keep = time === undefined;
  return stamp({ day, time: keep ? was?.time : time, end: keep ? was?.end : null, cookies: was?.cookies ?? "" });
};

/** The repeater of a timestamp, `+1w`, or null. */
export const repeater = old => /(?:^|\s)((?:\+|\+\+|\.\+)\d+[hdwmy](?:\/\d+[hdwmy])?)/.exec(parts(old)?.cookies ?? "")?.[1] ?? null;

/** A day as a person says it: Today, Tomorrow, Wed 2 Dec, Wed 2 Dec 2027. */
export function human(day, now) {
  const away = daysBetween(now, day);
  if (away === 0) return "Today";
  if (away === 1) return "Tomorrow";
  if (away === -1) return "Yesterday";
  const [year, month, date] = day.split("-");
  return `${DAYS[weekday(day)]} ${+date} ${MONTHS[month - 1]}${year === now.slice(0, 4) ? "" : ` ${year}`}`;
}

/** A day as a short heading: Sat, 28 Nov. */
export const headingDay = day => `${DAYS[weekday(day)]}, ${+day.slice(8)} ${MONTHS[day.slice(5, 7) - 1]}`;
/** A day as a heading: Saturday, 28 November. */
export const longDay = day => `${LONG_DAYS[weekday(day)]}, ${utc(day).toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" })}`;
export const shortWeekday = day => DAYS[weekday(day)];

/** A timestamp as a person says it: Today 10:00, repeats +1w. */
export function humanStamp(text, now) {
  const found = parts(text);
  if (!found) return text ?? "";
  return [human(found.day, now), found.time ? found.time + (found.end ? `\u2013${found.end}` : "") : null].filter(Boolean).join(" ");
}

/** What "fri", "+2d", "tomorrow 10:00", "24 dec" mean: `{day, time}`, or null for words that are not understood. */
export function understood(words, now) {
  let text = words.trim().toLowerCase(), time = null;
  const clock = /(?:^|\s)(\d{1,2}):(\d\d)$/.exec(text);
  if (clock) {
    if (+clock[1] > 23 || +clock[2] > 59) return null;
    time = `${two(+clock[1])}:${clock[2]}`;
    text = text.slice(0, clock.index).trim();
  }
  const day = dayUnderstood(text, now);
  return day ? { day, time } : null;
}

function dayUnderstood(text, now) {
  if (["", "today", "now", "."].includes(text)) return now;
  if (text === "tomorrow") return plus(now, 1);
  if (isDay(text)) return text;
  const step = /^\+?(\d+)([dwmy]?)$/.exec(text);
  if (step && (text.startsWith("+") || step[2])) return stepped(now, +step[1], step[2] || "d");
  const name = DAYS.findIndex(d => text.length >= 2 && LONG_DAYS[DAYS.indexOf(d)].toLowerCase().startsWith(text));
  if (name >= 0) return plus(now, ((name - weekday(now) + 6) % 7) + 1);
  const date = /^(\d{1,2})\.? ?([a-z]{3})[a-z]*$/.exec(text);
  const month = date ? MONTHS.findIndex(m => m.toLowerCase() === date[2]) : -1;
  if (month < 0) return null;
  const year = +now.slice(0, 4), at = y => `${y}-${two(month + 1)}-${two(+date[1])}`;
  const found = at(year) < now ? at(year + 1) : at(year);
  return isDay(found) ? found : null;
}

function stepped(day, count, unit) {
  if (unit === "d") return plus(day, count);
  if (unit === "w") return plus(day, 7 * count);
  const date = utc(day);
  if (unit === "m") date.setUTCMonth(date.getUTCMonth() + count);
  else date.setUTCFullYear(date.getUTCFullYear() + count);
  return date.toISOString().slice(0, 10);
}

/** How long ago a moment was, for people: just now, 5 min ago, 3 h ago, 28 Nov 14:05. */
export function ago(moment, now = Date.now()) {
  const then = new Date(moment);
  if (Number.isNaN(+then)) return String(moment ?? "");
  const minutes = Math.round((now - then) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 12 * 60) return `${Math.round(minutes / 60)} h ago`;
  return `${then.getDate()} ${MONTHS[then.getMonth()]}${then.getFullYear() === new Date(now).getFullYear() ? "" : ` ${then.getFullYear()}`} ${two(then.getHours())}:${two(then.getMinutes())}`;
}
