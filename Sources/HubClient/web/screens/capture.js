export const title = "capture";
