// Search: the hub's query language when it is there, the words of what this device knows when it is not.
import { h } from "../dom.js";
import { knownEntries } from "../hub.js";
import { empty, missing, row, rowMenu } from "../parts.js";
import * as resources from "../resources.js";

export const title = "Search";
export const focus = () => document.getElementById("words")?.focus();
/** Another query is the same screen: the field that is typed into stays. */
export const stays = true;
const words = rest => (rest[0] ?? "").trim();
export const needs = rest => words(rest) ? [resources.search(words(rest))] : [];

let typing;

export async function view({ data, problems, rest }) {
  const query = words(rest), path = resources.search(query), problem = problems[path];
  return [
    h("form", { class: "search", role: "search", onsubmit: event => { event.preventDefault(); go(document.getElementById("words").value); } },
      h("label", { for: "words", class: "unseen" }, "Words or a query"),
      h("input", { id: "words", type: "search", value: query, placeholder: "Words, i.todo, t.work, s.today", autocapitalize: "none", autocomplete: "off",
        oninput: event => { clearTimeout(typing); const value = event.target.value; typing = setTimeout(() => go(value), 350); } })),
    query ? await results(query, data[path], problem) : examples(),
  ];
}

/** One address per query, without a step in the history for every letter. */
function go(value) {
  clearTimeout(typing);
  history.replaceState(history.state, "", `#/search/${encodeURIComponent(value.trim())}`);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

async function results(query, value, problem) {
  if (problem?.status && problem.status !== 404) return empty("warn", "This query is not understood", problem.message);
  const known = await knownEntries(), byId = new Map(known.map(i => [i.id, i]));
  const found = value && !problem ? value.items.map(v => byId.get(v.id)).filter(Boolean) : local(query, known);
  const fresh = value && !problem ? local(query, known.filter(i => i.captured)) : [];
  const rows = [...fresh, ...found.filter(i => !fresh.includes(i))].slice(0, 200);
  if (!value && !problem) return missing(null);
  return [
    h("p", { class: "hint", role: "status" }, `${rows.length}${value?.next ? " or more" : ""} ${rows.length === 1 ? "entry" : "entries"}${problem ? ", among those on this device" : ""}`),
    rows.length ? h("ul", { class: "list" }, rows.map(i => row(i, { actions: rowMenu(i) }))) : empty("search", "Nothing found", "Try fewer words, or part of a word."),
  ];
}

/** Without the hub: all words, anywhere; `t.` and `i.` as in the query language. */
export function local(query, items) {
  const tests = query.toLowerCase().split(/\s+/).filter(Boolean).map(word => {
    if (word.startsWith("t.")) return i => [...(i.tags ?? []), ...(i.inheritedTags ?? [])].some(t => t.toLowerCase() === word.slice(2));
    if (word.startsWith("i.")) return i => (i.todo ?? "").toLowerCase() === word.slice(2);
    return i => `${i.title} ${i.body ?? ""} ${(i.tags ?? []).join(" ")}`.toLowerCase().includes(word);
  });
  return items.filter(i => tests.every(t => t(i)));
}

const EXAMPLES = [["i.todo", "everything to do"], ["s.today", "scheduled until today"], ["d.7d", "deadlines of the next 7 days"], ["i.todo .t.someday", "to do, without a tag"]];
const examples = () => h("div", {}, h("h2", { class: "section-title" }, "For example"), h("ul", { class: "list" }, EXAMPLES.map(([query, what]) =>
  h("li", { class: "link-row" }, h("a", { href: `#/search/${encodeURIComponent(query)}` }, h("span", { class: "grow" }, h("code", {}, query)), h("span", { class: "choice-more" }, what))))));
