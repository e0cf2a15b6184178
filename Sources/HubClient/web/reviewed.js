// Tells the hub that the review of a day was completed: at once, or when the hub is there again.
import * as db from "./db.js";
import { ask, HubError } from "./hub.js";
import { REVIEW } from "./resources.js";

/** Sends the day of the last completed review unless the hub has it; without the hub, the next start of the page does. */
export async function sendReviewed() {
  const day = await db.fact("reviewed");
  if (!day || await db.fact("reviewed sent") === day) return;
  try { await ask("POST", REVIEW, { day }); } catch (error) {
    if (!(error instanceof HubError)) throw error;
    // A day that the hub does not count any longer is not sent again.
    if (error.status !== 422) return;
  }
  await db.setFact("reviewed sent", day);
}
