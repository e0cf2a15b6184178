export const title = "status";
