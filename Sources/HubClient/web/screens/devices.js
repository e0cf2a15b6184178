// The devices that are paired with this hub, and the code that pairs another one.
import { h, svg } from "../dom.js";
import { ago } from "../dates.js";
import { ask, HubError } from "../hub.js";
import { icon } from "../icons.js";
import { confirmed, missing, notice, section } from "../parts.js";
import * as resources from "../resources.js";

export const title = "Devices";
export const needs = () => [resources.DEVICES];
const SCOPES = { all: "may do everything", read: "reads only", capture: "captures only" };

export function view({ data, problems, own, redraw }) {
  const value = data[resources.DEVICES];
  welcome(own, value?.devices ?? []);
  return [
    value ? h("ul", { class: "list cards" }, (value.devices ?? []).map(d => h("li", { class: "card", "data-key": d.id },
      h("div", { class: "card-top" }, icon("devices"), h("h2", { class: "grow", dir: "auto" }, d.name), d.current ? h("span", { class: "badge ok" }, "This device") : null),
      h("p", { class: "hint" }, [SCOPES[d.scope] ?? d.scope, `paired ${ago(d.created)}`, d.seen && `last seen ${ago(d.seen)}`].filter(Boolean).join(", ")),
      h("div", { class: "buttons" }, h("button", { class: "button danger", "aria-label": `Revoke ${d.name}`, onclick: () => revoke(d, redraw) }, "Revoke"))))) : missing(problems[resources.DEVICES], "The list of devices"),
    section("Add a device", own.pairing ? invitation(own, redraw) : asking(own, redraw)),
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

/** The form that asks the hub for a link. */
function asking(own, redraw) {
  return h("form", { class: "form", onsubmit: event => { event.preventDefault(); void begin(own, document.getElementById("scope").value, redraw); } },
    own.problem && h("p", { class: "error", role: "alert" }, own.problem),
    h("label", { for: "scope" }, "The new device"), h("select", { id: "scope" }, Object.entries(SCOPES).map(([scope, label]) => h("option", { value: scope }, label))),
    h("div", { class: "buttons" }, h("button", { class: "button primary", "data-save": true }, icon("plus"), "Show a code")));
}

async function begin(own, scope, redraw) {
  own.problem = null;
  try {
    const [{ value }, listed] = [await ask("POST", "/pairings", { scope }), await ask("GET", resources.DEVICES)];
    own.pairing = { ...value, until: Date.now() + 1000 * value.seconds, known: new Set(listed.value.devices.map(d => d.id)) };
    setTimeout(redraw, 1000 * value.seconds);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    own.problem = error.status ? error.message : "The hub has to be reached to add a device.";
  }
  await redraw();
  document.getElementById("pair-link")?.focus();
}

/** A device that the list did not have when the link was made has used it, because a link works once. */
function welcome(own, devices) {
  const other = own.pairing && devices.find(d => !own.pairing.known.has(d.id));
  if (other) notice(`“${other.name}” is paired`);
  if (other || own.pairing?.until <= Date.now()) own.pairing = null;
}

function invitation(own, redraw) {
  const { link, qr } = own.pairing;
  return [h("p", {}, "Scan this with the camera of the new device, or open the link there. It works once, for five minutes; who has it can use it."),
    /^https?:\/\/(localhost|127\.|\[::1\])/.test(link) && h("p", { class: "banner" }, "Only the hub's own computer reaches this link: the hub listens nowhere else."),
    qr.length ? drawing(qr) : null,
    h("p", { id: "pair-link", class: "pair-link", tabindex: "-1" }, link),
    h("div", { class: "buttons" }, h("button", { class: "button", onclick: () => { own.pairing = null; redraw(); } }, "Hide the code"))];
}

/** The modules of a QR code in black on white, with the margin of four modules that scanners need (ISO/IEC 18004). */
function drawing(rows) {
  const size = rows.length + 8;
  const dark = rows.flatMap((row, y) => [...row.matchAll(/1+/g)].map(run => `M${run.index + 4} ${y + 4}h${run[0].length}v1h-${run[0].length}z`));
  return svg("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": "QR code of the link", "shape-rendering": "crispEdges" },
    svg("rect", { width: size, height: size, fill: "#fff" }), svg("path", { d: dark.join(""), fill: "#000" }));
}
