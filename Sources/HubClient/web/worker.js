// The service worker of browsers that show buttons on notifications: sw.js, and the queue of the page for "Done".
import "./sw.js";
import { listen, recall, recordOnce, send, state } from "./hub.js";

/** Marks the entry of a reminder as done: recorded like an edit of the page, and sent now or as soon as the hub can be reached. Throws an error
    with the reason if it cannot be recorded. */
self.finish = async ({ tag, entry, finish }) => {
  await recall();
  if (!state.paired) throw new Error("this device is not paired with the hub.");
  // The dates, too, must be those of the reminder: an entry that repeats is otherwise done for the next time as well.
  const fields = Object.fromEntries(Object.entries(finish.dates).map(([name, stamp]) => [name, { old: stamp, new: stamp }]));
  await recordOnce(tag, { op: "edit", id: entry, fields: { ...fields, todo: { old: finish.from, new: finish.to } } });
  // Without this kind of event, the page sends it when it is opened.
  if (!await sent()) await self.registration.sync?.register("send").catch(() => {});
};

let told = null;
listen(what => {
  if (what !== "refused") return;
  told = self.notify("The hub did not carry out an edit", { body: "Decide what to do with it.", tag: "refused", data: { route: "#/refused" } });
});

/** Sends what waits; true if nothing does any longer. */
async function sent() {
  await send();
  await told;
  return !state.queue.length;
}

self.addEventListener("sync", event => event.waitUntil((async () => {
  await recall();
  // After an error, the browser repeats the event later.
  if (!await sent()) throw new Error("the hub cannot be reached");
})()));
