// The icons: one line drawing each, 24 by 24, drawn with the colour of the text.
import { svg } from "./dom.js";

const PATHS = {
  home: "M4 11.5 12 4l8 7.5M6 10v9h4.5v-5h3v5H18v-9",
  agenda: "M5 6h14v14H5zM5 10.5h14M9 3.5V7M15 3.5V7",
  plus: "M12 5v14M5 12h14",
  files: "M4 6.5h6l2 2.5h8v9.5H4z",
  search: "M11 4.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM16 16l4 4",
  sync: "M5 10a7.2 7.2 0 0 1 12.5-2.8L19 9M19 4.5V9h-4.5M19 14a7.2 7.2 0 0 1-12.5 2.8L5 15M5 19.500V15h4.5",
  away: "M4 4l16 16M7 10a7 7 0 0 1 1.5-1.500M5 15v4.500M5 15h4.500M19 9V4.500M19 9h-4.500M11 5.600A7.2 7.2 0 0 1 17.5 7.200L19 9M5 15l1.5 1.800a7.2 7.2 0 0 0 9.3 1.4",
  warn: "M12 4.5 21 19.500H3zM12 10v4.500M12 17v.2",
  back: "M14.5 5.5 8 12l6.5 6.5",
  next: "M9.5 5.5 16 12l-6.5 6.5",
  more: "M5.5 12h.100M12 12h.100M18.5 12h.1",
  check: "M5 12.5 10 17.5 19.5 7",
  close: "M6 6l12 12M18 6 6 18",
  date: "M5 6h14v14H5zM5 10.500h14M9 3.500V7M15 3.500V7M12 13v3l2 1",
  flag: "M6 21V4M6 5h11l-2.5 4L17 13H6",
  tag: "M4 4.500h7.500L20 13l-7 7-9-8.500zM8 8.500h.1",
  clock: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4.500l3 1.8",
  refile: "M4 6.500h6l2 2.500h8v9.500H4zM9 14h6M12.5 11.5 15 14l-2.5 2.5",
  archive: "M4 5h16v4H4zM5.5 9v10h13V9M10 13h4",
  edit: "M5 19l1-4L16.5 4.500l3 3L9 18zM14.5 6.500l3 3",
  note: "M6 4h9l3.5 3.500V20H6zM9 11h6M9 15h6",
  inbox: "M4 13 7 5h10l3 8v6H4zM4 13h4.500l1.5 2.500h4L15.5 13H20",
  history: "M4.5 12A7.5 7.5 0 1 0 7 6.300L4.5 8.500M4.5 4.500v4h4M12 8v4.500l3 1.8",
  devices: "M8 3.500h8v17H8zM11 17.500h2",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0 2 2 0 0 0-4 0M7 17a2 2 0 1 0 4 0 2 2 0 0 0-4 0",
  hold: "M7 11.500V7a1.5 1.5 0 0 1 3 0v4M10 10V5a1.5 1.5 0 0 1 3 0v5M13 10V6.500a1.5 1.5 0 0 1 3 0V12M16 11a1.5 1.5 0 0 1 3 0v3c0 4-2.5 6.5-6 6.500s-4.5-1.5-6-4L4.5 13c.8-1.2 2-.8 2.5-.200z",
  conflict: "M7 4v16M17 4v16M4 8l3-4 3 4M14 16l3 4 3-4",
  undo: "M8 5 4 9l4 4M4 9h9a6 6 0 0 1 0 12H9",
  trash: "M5 7h14M10 4h4M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  user: "M12 4.500a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM5 20c.5-4 3-6 7-6s6.5 2 7 6",
  help: "M9 9.500a3 3 0 1 1 4.3 2.700c-.9.5-1.3 1-1.3 2.300M12 17.500v.200M12 3.500a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17z",
  stop: "M7 7h10v10H7z",
  place: "M12 21c4-5 6.5-8.200 6.5-11a6.5 6.5 0 0 0-13 0c0 2.800 2.500 6 6.500 11zM12 7.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5z",
  bundle: "M4 6.5l1.5 1.500L8 5.500M4 12.5l1.5 1.500L8 11.500M4 18.5l1.5 1.500L8 17.500M11.5 7H20M11.5 13H20M11.5 19H20",
  review: "M5 6.500h10M5 11.500h6M5 16.500h5M12.5 16.500l2.5 2.500 5-6",
  repeat: "M5 11V9a2 2 0 0 1 2-2h10M14.5 4 17.5 7l-3 3M19 13v2a2 2 0 0 1-2 2H7M9.5 20l-3-3 3-3",
};

/** A drawing beside a name; hidden from those who listen, since the name says it. */
export function icon(name, more = "") {
  return svg("svg", { class: `icon ${more}`.trim(), viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] }));
}
