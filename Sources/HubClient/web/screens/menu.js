export const title = "menu";
