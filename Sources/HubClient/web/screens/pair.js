// Pairing: the link's code becomes this device's session. Without a link, what to do to get one.
import * as db from "../db.js";
import { h } from "../dom.js";
import { ask, paired, state, HubError } from "../hub.js";
import { icon } from "../icons.js";
import { notice } from "../parts.js";

export const title = "Pair this device";

/** The code is in the fragment, so that it is in no log. */
const code = () => location.pathname === "/pair" ? decodeURIComponent(location.hash.slice(1)) : "";

export async function enter(rest, own) {
  own.name = guessedName();
  if (code() && !own.tried) { own.tried = true; await tryCode(code(), own); }
}

async function tryCode(value, own) {
  try {
    const answer = await ask("POST", "/pair", { code: value.trim(), name: own.name });
    own.device = answer.value?.device ?? { name: own.name };
    await paired();
    await db.setFact("device", own.device);
    history.replaceState(null, "", "/#/");
    notice(`Paired: the hub calls this device “${own.device.name}”`);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    own.error = error.status === 403 ? "This link was used already, or it is older than five minutes. Print a new one with “syncd pair”."
      : error.status === 429 ? "There were too many wrong codes. Wait a minute, then print a new link with “syncd pair”."
      : error.status ? error.message : "The hub cannot be reached. Check that “syncd serve” runs, then open the link again.";
  }
}

function guessedName() {
  const agent = navigator.userAgent, browser = /Firefox/.test(agent) ? "Firefox" : /Edg\//.test(agent) ? "Edge" : /Chrom(e|ium)/.test(agent) ? "Chrome" : /Safari/.test(agent) ? "Safari" : "Browser";
  const system = /Android/.test(agent) ? "Android" : /iPhone|iPad/.test(agent) ? "iPhone" : /Mac OS/.test(agent) ? "Mac" : /Windows/.test(agent) ? "Windows" : /Linux/.test(agent) ? "Linux" : "a device";
  return `${browser} on ${system}`;
}

export async function view({ own, redraw }) {
  const waiting = state.queue.length;
  return h("div", { class: "welcome" }, icon("devices", "large"),
    h("h2", {}, "This device is not paired"),
    own.error && h("p", { class: "banner error", role: "alert" }, own.error),
    waiting ? h("p", { class: "banner" }, `${waiting} ${waiting === 1 ? "edit waits" : "edits wait"} on this device and will be sent after pairing.`) : null,
    h("ol", { class: "steps" }, h("li", {}, "On the computer with your Org files, run ", h("code", {}, "syncd pair"), ", or press “Show a code” on the screen Devices of a paired device."),
      h("li", {}, "Open the link on this device, or scan the code."),
      h("li", {}, "A link works once, for five minutes.")),
    h("form", { class: "form", onsubmit: async event => { event.preventDefault(); own.error = null; await tryCode(linkCode(document.getElementById("code").value), own); if (!own.device) redraw(); } },
      h("label", { for: "code" }, "Link or code"), h("input", { id: "code", type: "text", autocomplete: "off", autocapitalize: "none", required: true }),
      h("div", { class: "buttons" }, h("button", { class: "button primary", "data-save": true }, "Pair"))));
}

const linkCode = text => text.trim().split("#").pop();
