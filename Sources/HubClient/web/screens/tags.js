// Tags with the number of their entries.
import { h } from "../dom.js";
import { empty, link, missing } from "../parts.js";
import * as resources from "../resources.js";

export const title = "Tags";
export const needs = () => [resources.TAGS];

export function view({ data, problems }) {
  const value = data[resources.TAGS];
  if (!value) return missing(problems[resources.TAGS], "The list of tags");
  if (!value.tags.length) return empty("tag", "No tags yet", "Give an entry a tag, and it appears here.");
  return h("ul", { class: "list" }, value.tags.map(t => link(`#/search/${encodeURIComponent(`t.${t.name}`)}`, "tag", t.name, "", t.entries)));
}
