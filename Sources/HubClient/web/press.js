// Whether a finger or a button of the mouse is down. A browser sends the click to what was pressed only if it is still there when it
// is released, so nothing is drawn in between, however long that is.

const down = new Set();
let ended = Promise.resolve(), end = () => {};

function begin(event) {
  if (!down.size) ended = new Promise(done => { end = done; });
  // Of a kind of pointer only one is the primary one: a release of those before it was missed.
  if (event.isPrimary) down.clear();
  down.add(event.pointerId);
}

/** The click follows the release, so the drawing is let go after it. */
function release(event) {
  if (down.delete(event.pointerId) && !down.size) setTimeout(end);
}

function finish() {
  down.clear();
  end();
}

/** Ends when nothing is pressed. */
export const released = () => ended;

export function watchPresses() {
  document.addEventListener("pointerdown", begin, true);
  for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, release, true);
  // Released outside of the window.
  document.addEventListener("pointermove", event => { if (!event.buttons) release(event); }, true);
  self.addEventListener("blur", finish);
  document.addEventListener("visibilitychange", finish);
}
