export const title = "home";
