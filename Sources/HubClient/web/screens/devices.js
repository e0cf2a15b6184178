// The devices that are paired with this hub.
import { h } from "../dom.js";
import { ago } from "../dates.js";
import { ask, HubError } from "../hub.js";
import { icon } from "../icons.js";
import { confirmed, missing, notice, section } from "../parts.js";
import * as resources from "../resources.js";

export const title = "Devices";
export const needs = () => [resources.DEVICES];
const SCOPES = { all: "may do everything", read: "reads only", capture: "captures only" };

export function view({ data, problems, redraw }) {
  const value = data[resources.DEVICES];
  return [
    value ? h("ul", { class: "list cards" }, (value.devices ?? []).map(d => h("li", { class: "card", "data-key": d.id },
      h("div", { class: "card-top" }, icon("devices"), h("h2", { class: "grow", dir: "auto" }, d.name), d.current ? h("span", { class: "badge ok" }, "This device") : null),
      h("p", { class: "hint" }, [SCOPES[d.scope] ?? d.scope, `paired ${ago(d.created)}`, d.seen && `last seen ${ago(d.seen)}`].filter(Boolean).join(", ")),
      h("div", { class: "buttons" }, h("button", { class: "button danger", "aria-label": `Revoke ${d.name}`, onclick: () => revoke(d, redraw) }, "Revoke"))))) : missing(problems[resources.DEVICES], "The list of devices"),
    section("Add a device", h("ol", { class: "steps" }, h("li", {}, "On the hub's computer, run ", h("code", {}, "syncd pair"), "."), h("li", {}, "Open the link on the new device. It works once, for five minutes."))),
  ];
}

async function revoke(device, redraw) {
  if (!await confirmed(`Revoke “${device.name}”?`, device.current ? "This is the device in your hand: it forgets everything, and edits that were not sent are lost." : "It is logged out at once and forgets what it keeps as soon as it hears from the hub.", "Revoke")) return;
  try {
    await ask("DELETE", `/devices/${encodeURIComponent(device.id)}`, {});
    notice(`“${device.name}” is revoked`);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    notice(`Not revoked: ${error.status ? error.message : "the hub cannot be reached"}`);
  }
  document.dispatchEvent(new Event("visibilitychange"));
  redraw();
}
