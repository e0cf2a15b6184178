export const title = "pair";
