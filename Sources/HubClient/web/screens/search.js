export const title = "search";
