export const title = "holds";
