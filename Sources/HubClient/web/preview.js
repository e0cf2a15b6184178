// The text of an entry as people read it: Org's markup, built from elements, never from markup text.
import { h } from "./dom.js";

const SAFE = /^(https?|mailto|tel|message):/i;

/** The text as elements; `tick(label, on)` is called when a checkbox is pressed. */
export function preview(text, tick) {
  return h("div", { class: "prose" }, blocks(text.split("\n"), tick));
}

function blocks(lines, tick) {
  const out = [];
  let i = 0;
  while (i < lines.length) {
    const line = lines[i];
    const begin = /^\s*#\+begin_(\S+)(.*)$/i.exec(line);
    if (!line.trim()) { i++; continue; }
    if (begin) {
      const end = lines.findIndex((l, n) => n > i && l.trim().toLowerCase() === `#+end_${begin[1].toLowerCase()}`);
      const last = end < 0 ? lines.length : end;
      out.push(block(begin[1].toLowerCase(), begin[2].trim(), lines.slice(i + 1, last), tick));
      i = last + 1;
    } else if (/^\s*\|/.test(line)) {
      const from = i;
      while (i < lines.length && /^\s*\|/.test(lines[i])) i++;
      out.push(table(lines.slice(from, i)));
    } else if (isItem(line)) {
      const from = i, own = indent(line);
      i++;
      while (i < lines.length && (isItem(lines[i]) && indent(lines[i]) >= own || lines[i].trim() && indent(lines[i]) > own || !lines[i].trim() && indented(lines, i, own))) i++;
      out.push(items(lines.slice(from, i), tick));
    } else if (/^\s*:[\w@#%+-]+:\s*$/.test(line)) {
      const end = lines.findIndex((l, n) => n > i && /^\s*:end:\s*$/i.test(l));
      const last = end < 0 ? i : end;
      out.push(h("details", { class: "drawer" }, h("summary", {}, line.trim().replaceAll(":", "")), h("pre", { dir: "auto" }, lines.slice(i + 1, last).join("\n"))));
      i = last + 1;
    } else if (/^\s*#\+\w/.test(line) || /^\s*# /.test(line)) {
      out.push(h("p", { class: "keyword" }, line.trim()));
      i++;
    } else if (/^\s*: /.test(line)) {
      const from = i;
      while (i < lines.length && /^\s*:( |$)/.test(lines[i])) i++;
      out.push(h("pre", { dir: "auto" }, lines.slice(from, i).map(l => l.replace(/^\s*: ?/, "")).join("\n")));
    } else if (/^\s*-{5,}\s*$/.test(line)) {
      out.push(h("hr"));
      i++;
    } else {
      const from = i;
      do i++; while (i < lines.length && lines[i].trim() && !/^\s*(#\+|\||:[\w@#%+-]+:\s*$|: |-{5,}\s*$)/.test(lines[i]) && !isItem(lines[i]));
      out.push(h("p", { dir: "auto" }, inline(lines.slice(from, i).map(l => l.trim()).join("\n"))));
    }
  }
  return out;
}

const isItem = line => /^\s*([-+]|\d+[.)]|(?<=\s)\*)\s/.test(line) || /^\s+\*\s/.test(line);
const indent = line => /^\s*/.exec(line)[0].length;
const indented = (lines, i, own) => lines[i + 1]?.trim() && indent(lines[i + 1]) > own;

function block(kind, more, lines, tick) {
  if (kind === "quote" || kind === "verse" || kind === "center") return h("blockquote", { dir: "auto" }, kind === "verse" ? h("pre", {}, lines.join("\n")) : blocks(lines, tick));
  return h("figure", { class: "code" }, h("figcaption", {}, [kind, more.split(/\s/)[0]].filter(Boolean).join(" · ")), h("pre", { dir: "auto", tabindex: "0" }, lines.join("\n")));
}

function table(lines) {
  const rows = lines.filter(l => !/^\s*\|[-+]/.test(l)).map(l => l.trim().replace(/^\||\|$/g, "").split("|").map(c => c.trim()));
  const ruled = lines.findIndex(l => /^\s*\|[-+]/.test(l));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" }, h("table", {}, rows.map((cells, n) => h("tr", {}, cells.map(c => h(ruled > 0 && n < ruled ? "th" : "td", { dir: "auto" }, inline(c)))))));
}

function items(lines, tick) {
  const own = indent(lines[0]), groups = [];
  for (const line of lines) {
    if (isItem(line) && indent(line) <= own) groups.push([line]);
    else groups.at(-1).push(line);
  }
  return h(/^\s*\d/.test(lines[0]) ? "ol" : "ul", {}, groups.map(group => {
    const [, mark, rest] = /^\s*(?:[-+*]|\d+[.)])\s+(?:\[@\d+\]\s+)?(\[[ X-]\])?\s*(.*)$/.exec(group[0]) ?? [null, null, group[0]];
    const term = /^(.*?)\s::\s(.*)$/.exec(rest);
    const text = term ? [h("strong", {}, inline(term[1])), " ", inline(term[2])] : inline(rest);
    const own = mark ? h("label", { class: "tick" }, h("input", { type: "checkbox", checked: mark === "[X]", onchange: event => tick?.(rest.trim(), event.target.checked) }), h("span", { dir: "auto" }, text)) : h("span", { dir: "auto" }, text);
    return h("li", { class: mark ? "has-box" : null }, own, group.length > 1 ? blocks(group.slice(1), tick) : null);
  }));
}

const MARKS = { "*": "strong", "/": "em", "_": "u", "+": "s", "=": "code", "~": "code" };
const INLINE = /\[\[([^\]\n]+)\](?:\[([^\]\n]+)\])?\]|(https?:\/\/[^\s<>"\])]+[^\s<>"\]).,;:!?])|(?<![\w*/_+=~])([*/_+=~])(\S(?:[^\n]*?\S)?)\4(?![\w*/_+=~])|([<[]\d{4}-\d\d-\d\d[^>\]\n]*[>\]])/g;

/** Emphasis, links and timestamps in a line. */
export function inline(text) {
  const out = [];
  let last = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > last) out.push(text.slice(last, found.index));
    const [whole, target, label, url, mark, inner, stamp] = found;
    out.push(target ? anchor(target, label ?? target) : url ? anchor(url, url) : mark ? h(MARKS[mark], {}, "=~".includes(mark) ? inner : inline(inner)) : h("time", {}, stamp));
    last = found.index + whole.length;
  }
  out.push(text.slice(last));
  return out;
}

function anchor(target, label) {
  const id = /^id:(.+)$/i.exec(target);
  if (id) return h("a", { href: `#/item/${encodeURIComponent(id[1])}` }, label);
  if (SAFE.test(target)) return h("a", { href: target, rel: "noopener noreferrer", target: "_blank" }, label);
  if (/^\*/.test(target)) return h("a", { href: `#/search/${encodeURIComponent(target.slice(1))}` }, label);
  return h("span", { class: "dead-link", title: target }, label);
}
