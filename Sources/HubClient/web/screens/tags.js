export const title = "tags";
