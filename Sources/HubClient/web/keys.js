// The keyboard: one letter, one action, each with a button that does the same. None acts while something is being typed.
import { h } from "./dom.js";
import { sheet, undoLast } from "./parts.js";

const GO = { h: "#/", a: "#/agenda", i: "#/inbox", f: "#/files", t: "#/tags", b: "#/bundles", v: "#/review", n: "#/nearby", s: "#/status" };
const HELP = [
  ["c", "capture"], ["/", "search"], ["S", "sync now"], ["j k", "next and previous entry"], ["Enter", "open"], ["x", "done or not done"], ["e", "edit the text"],
  ["t", "state"], ["s", "schedule"], ["d", "deadline"], [":", "tags"], [",", "priority"], ["r", "refile"], ["a", "archive"], ["b", "before or after an event"], ["p", "place"], ["i", "clock"], ["n", "note"], ["u", "undo"],
  ["g h", "home"], ["g a", "agenda"], ["g i", "inbox"], ["g f", "files"], ["g t", "tags"], ["g b", "before and after"], ["g v", "review"], ["g n", "nearby"], ["1 to 7", "decide, in the review"], ["g s", "status"], ["Esc", "back"], ["Ctrl Enter", "save"], ["?", "this list"],
];
const ACTIONS = { t: "todo", s: "scheduled", d: "deadline", ":": "tags", ",": "priority", r: "refile", a: "archive", i: "clock", e: "edit", n: "note", b: "event", p: "place" };
let going = 0;

export function keyPressed(event) {
  if (event.ctrlKey && event.key === "Enter") return press("[data-save]");
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest?.("input, textarea, select")) return void (event.key === "Escape" && event.target.blur());
  if (acted(event.key)) event.preventDefault();
}

function acted(key) {
  if (going && Date.now() - going < 1500 && GO[key]) { going = 0; location.hash = GO[key]; return true; }
  going = key === "g" ? Date.now() : 0;
  if (key === "g") return true;
  if (key === "c") { location.hash = "#/capture"; return true; }
  if (key === "/") { location.hash = "#/search"; document.querySelector("[type=search]")?.focus(); return true; }
  if (key === "S") return press(".sync-button");
  if (key === "?") { help(); return true; }
  if (key === "u") return undoLast();
  if (/^[1-9]$/.test(key)) return press(`[data-choice="${key}"]`);
  if (key === "Escape") return press("#top [aria-label=Back]");
  if (key === "j" || key === "k") return step(key === "j" ? 1 : -1);
  if (key === "x") return press(".box", row());
  return ACTIONS[key] ? press(`[data-action=${ACTIONS[key]}]`, row()) || press(`[data-action=${ACTIONS[key]}]`) : false;
}

const row = () => document.activeElement?.closest(".row");

function press(selector, within = document) {
  const button = within?.querySelector(selector);
  button?.click();
  return !!button;
}

function step(by) {
  const links = [...document.querySelectorAll("main .row .row-link")];
  const here = links.indexOf(row()?.querySelector(".row-link"));
  const next = links[here < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, here + by))];
  next?.focus();
  return !!next;
}

export function help() {
  sheet("Keyboard", h("dl", { class: "keys" }, HELP.map(([key, what]) =>
    h("div", {}, h("dt", {}, key.split(" ").map(k => h("kbd", {}, k))), h("dd", {}, what)))));
}
