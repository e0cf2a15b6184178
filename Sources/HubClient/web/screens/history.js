export const title = "history";
