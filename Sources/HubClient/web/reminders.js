// Reminders on this device, also while the app is closed: the hub sends them through the push service of the browser.
import * as db from "./db.js";
import { ask } from "./hub.js";
import { PUSH } from "./resources.js";

/** Why this browser cannot show reminders, as a sentence; null if it can. */
export function obstacle() {
  if (!self.isSecureContext) return "Reminders need an encrypted connection: open the hub by https.";
  if (!("serviceWorker" in navigator) || !("PushManager" in self) || !("Notification" in self)) {
    return "This browser has no push messages. On an iPhone or iPad, add this page to the Home Screen and open it from there.";
  }
  return Notification.permission === "denied" ? "Notifications of this site are blocked; allow them in the settings of the browser." : null;
}

/** Whether the person wants reminders on this device. */
export const areOn = async () => !!await db.fact("reminders");

/** Asks for permission, which browsers allow only as the answer to a tap, and subscribes. Throws an error with the reason. */
export async function switchOn() {
  if (await Notification.requestPermission() !== "granted") throw new Error("notifications are not allowed");
  await subscribe((await ask("GET", PUSH)).value.key);
  await db.setFact("reminders", true);
}

export async function switchOff() {
  await db.setFact("reminders", false);
  const registration = await navigator.serviceWorker.ready;
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  await ask("DELETE", PUSH);
}

export const sendTest = () => ask("POST", `${PUSH}/test`, {});

/** Subscribes again if the browser or the hub has lost the subscription, as browsers do without a word. */
export async function renew() {
  if (!await areOn() || obstacle() || Notification.permission !== "granted") return;
  const registration = await navigator.serviceWorker.ready;
  const own = await registration.pushManager.getSubscription(), known = (await ask("GET", PUSH)).value;
  if (!own || own.endpoint !== known.endpoint) await subscribe(known.key);
}

let asked;

/** Closes the reminders on this device that are over; the worker does it, soon, once for all news that come together. */
export function closeOver() {
  clearTimeout(asked);
  asked = setTimeout(async () => (await navigator.serviceWorker?.getRegistration())?.active?.postMessage("close-over"), 300);
}

async function subscribe(key) {
  const registration = await navigator.serviceWorker.ready;
  const before = await registration.pushManager.getSubscription();
  // A subscription for the key of another hub cannot be used, and stands in the way of a new one.
  if (before && text(before.options.applicationServerKey) !== key) await before.unsubscribe();
  const made = (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })).toJSON();
  await ask("POST", PUSH, { endpoint: made.endpoint, keys: { p256dh: made.keys.p256dh, auth: made.keys.auth } });
}

const text = bytes => btoa(String.fromCharCode(...new Uint8Array(bytes ?? []))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
