// All other screens.
import { h } from "../dom.js";
import { state } from "../hub.js";
import { link, section } from "../parts.js";
import { attention } from "./home.js";

export const title = "More";

export const view = () => [
  attention(),
  section("Entries", h("ul", { class: "list" }, link("#/inbox", "inbox", "Inbox"), link("#/review", "review", "Review", "Empty the inbox, choose the tasks of today"), link("#/tags", "tag", "Tags"), link("#/habits", "repeat", "Habits"), link("#/bundles", "bundle", "Before and after", "Tasks that belong to an event"), link("#/nearby", "place", "Nearby"))),
  section("Syncing", h("ul", { class: "list" }, link("#/status", "sync", "Status", "This device and all remotes"), link("#/conflicts", "conflict", "To decide", "", state.refused.length + (state.counts.conflicts ?? 0) || null),
    link("#/holds", "hold", "Held deletions", "", state.counts.holds || null), link("#/history", "history", "History"))),
  section("This hub", h("ul", { class: "list" }, link("#/devices", "devices", "Devices"), link("#/settings", "settings", "Settings"))),
];
