export const title = "settings";
