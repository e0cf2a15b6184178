export const title = "entry";
