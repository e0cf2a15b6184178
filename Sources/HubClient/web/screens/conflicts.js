export const title = "conflicts";
