export const title = "habits";
