export const title = "agenda";
