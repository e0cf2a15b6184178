// What another app shares with this one becomes a capture, which the person still saves.
import * as db from "./db.js";

/** The draft of a capture with what was shared: a title, a text and a link, of which apps give some. What was typed before stays. Pure. */
export function withShared(draft, { title = "", text = "", url = "" }) {
  const lines = [title, ...text.split("\n"), url].map(line => line.trim()).filter((line, index, all) => line && all.indexOf(line) === index);
  if (!lines.length) return draft;
  const [first, ...rest] = draft?.title?.trim() ? [draft.title, ...lines] : lines;
  return { ...draft, title: first, body: [draft?.body?.trim(), ...rest].filter(Boolean).join("\n") };
}

/** Takes what the address says was shared into the draft of the capture. The address forgets it, so that a reload does not add it again. */
export async function takeShared() {
  const given = new URLSearchParams(location.search), shared = Object.fromEntries(["title", "text", "url"].map(name => [name, given.get(name)?.trim() ?? ""]));
  if (location.pathname !== "/" || !Object.values(shared).some(Boolean)) return;
  await db.put("drafts", { key: "capture", ...withShared(await db.get("drafts", "capture"), shared) });
  history.replaceState(null, "", "/#/capture");
}
