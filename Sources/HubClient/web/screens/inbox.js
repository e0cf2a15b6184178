// The inbox: what was captured and has no place yet, each row with what it needs to get one.
import { h } from "../dom.js";
import { capturedHere, kept, knownEntries, present } from "../hub.js";
import { icon } from "../icons.js";
import { empty, heading, missing, row, section } from "../parts.js";
import * as resources from "../resources.js";
import { archive, date, refile } from "../sheets.js";

export const title = "Inbox";
const outline = session => session?.inbox?.fileId ? [resources.outline(session.inbox.fileId)] : [];
export const needs = async () => [resources.SESSION, ...outline((await kept(resources.SESSION))?.value)];

export async function view({ data, problems }) {
  const session = data[resources.SESSION];
  if (!session) return missing(problems[resources.SESSION], "The inbox");
  const file = session.inbox?.file ?? "inbox.org";
  const outlined = data[outline(session)[0]]?.items.filter(i => i.level === 1);
  const listed = outlined ? await present(outlined) : (await knownEntries()).filter(i => i.file === file && !i.captured);
  const items = [...capturedHere().filter(i => i.file === "Inbox"), ...listed.filter(i => !i.movedTo && (i.level ?? 1) === 1)];
  const open = items.filter(i => !i.done), done = items.filter(i => i.done);
  if (!items.length) return empty("inbox", "The inbox is empty", "What you capture without a target lands here.", h("a", { class: "button primary", href: "#/capture" }, icon("plus"), "Capture"));
  return [open.length ? h("div", { class: "buttons" }, h("a", { class: "button", href: "#/review", "data-action": "review" }, icon("review"), "Review one by one")) : null,
    open.length ? h("ul", { class: "list" }, open.map(inboxRow)) : empty("check", "Everything here is done", ""),
    done.length ? section("Done", h("ul", { class: "list" }, done.map(inboxRow))) : null];
}

const inboxRow = item => row(item, { where: false, actions: h("div", { class: "row-actions" },
  tool("date", "Schedule", "scheduled", item, () => date(item, "scheduled")),
  tool("refile", "Refile", "refile", item, () => refile(item)),
  tool("archive", "Archive", "archive", item, () => archive(item))) });

const tool = (drawing, label, action, item, act) =>
  h("button", { class: "icon-button", "data-action": action, "aria-label": `${label}: ${heading(item)}`, title: label, onclick: act }, icon(drawing));

