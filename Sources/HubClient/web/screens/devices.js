export const title = "devices";
