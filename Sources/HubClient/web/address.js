// The address of the page, which says which screen is shown.

/** Goes to the screen before; to the home screen if there is none. */
export function back() {
  if (history.length > 1) history.back();
  else location.hash = "#/";
}

/** Leaves the screen with this address, unless the person has already left it while an edit was being saved. */
export function leave(address, go = back) {
  if (location.hash === address) go();
}
