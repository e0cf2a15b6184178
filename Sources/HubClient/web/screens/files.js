export const title = "files";
