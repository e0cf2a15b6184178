export const title = "inbox";
