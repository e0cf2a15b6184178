// The files of the web client. A file that is added to Sources/HubClient/web needs its lines here; a test compares the two.
#include "CHubClient.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char address_js[] = {
#embed "../../HubClient/web/address.js"
};
static const unsigned char app_css[] = {
#embed "../../HubClient/web/app.css"
};
static const unsigned char app_js[] = {
#embed "../../HubClient/web/app.js"
};
static const unsigned char bundles_js[] = {
#embed "../../HubClient/web/bundles.js"
};
static const unsigned char dates_js[] = {
#embed "../../HubClient/web/dates.js"
};
static const unsigned char db_js[] = {
#embed "../../HubClient/web/db.js"
};
static const unsigned char dom_js[] = {
#embed "../../HubClient/web/dom.js"
};
static const unsigned char edits_js[] = {
#embed "../../HubClient/web/edits.js"
};
static const unsigned char hub_js[] = {
#embed "../../HubClient/web/hub.js"
};
static const unsigned char icon_192_png[] = {
#embed "../../HubClient/web/icon-192.png"
};
static const unsigned char icon_512_png[] = {
#embed "../../HubClient/web/icon-512.png"
};
static const unsigned char icon_maskable_png[] = {
#embed "../../HubClient/web/icon-maskable.png"
};
static const unsigned char icon_svg[] = {
#embed "../../HubClient/web/icon.svg"
};
static const unsigned char icons_js[] = {
#embed "../../HubClient/web/icons.js"
};
static const unsigned char index_html[] = {
#embed "../../HubClient/web/index.html"
};
static const unsigned char keys_js[] = {
#embed "../../HubClient/web/keys.js"
};
static const unsigned char manifest_webmanifest[] = {
#embed "../../HubClient/web/manifest.webmanifest"
};
static const unsigned char parts_js[] = {
#embed "../../HubClient/web/parts.js"
};
static const unsigned char places_js[] = {
#embed "../../HubClient/web/places.js"
};
static const unsigned char position_js[] = {
#embed "../../HubClient/web/position.js"
};
static const unsigned char press_js[] = {
#embed "../../HubClient/web/press.js"
};
static const unsigned char preview_js[] = {
#embed "../../HubClient/web/preview.js"
};
static const unsigned char reminders_js[] = {
#embed "../../HubClient/web/reminders.js"
};
static const unsigned char resources_js[] = {
#embed "../../HubClient/web/resources.js"
};
static const unsigned char reviewed_js[] = {
#embed "../../HubClient/web/reviewed.js"
};
static const unsigned char screens_agenda_js[] = {
#embed "../../HubClient/web/screens/agenda.js"
};
static const unsigned char screens_bundles_js[] = {
#embed "../../HubClient/web/screens/bundles.js"
};
static const unsigned char screens_capture_js[] = {
#embed "../../HubClient/web/screens/capture.js"
};
static const unsigned char screens_conflicts_js[] = {
#embed "../../HubClient/web/screens/conflicts.js"
};
static const unsigned char screens_versions_js[] = {
#embed "../../HubClient/web/screens/versions.js"
};
static const unsigned char screens_devices_js[] = {
#embed "../../HubClient/web/screens/devices.js"
};
static const unsigned char screens_entry_js[] = {
#embed "../../HubClient/web/screens/entry.js"
};
static const unsigned char screens_files_js[] = {
#embed "../../HubClient/web/screens/files.js"
};
static const unsigned char screens_habits_js[] = {
#embed "../../HubClient/web/screens/habits.js"
};
static const unsigned char screens_history_js[] = {
#embed "../../HubClient/web/screens/history.js"
};
static const unsigned char screens_holds_js[] = {
#embed "../../HubClient/web/screens/holds.js"
};
static const unsigned char screens_home_js[] = {
#embed "../../HubClient/web/screens/home.js"
};
static const unsigned char screens_inbox_js[] = {
#embed "../../HubClient/web/screens/inbox.js"
};
static const unsigned char screens_menu_js[] = {
#embed "../../HubClient/web/screens/menu.js"
};
static const unsigned char screens_nearby_js[] = {
#embed "../../HubClient/web/screens/nearby.js"
};
static const unsigned char screens_pair_js[] = {
#embed "../../HubClient/web/screens/pair.js"
};
static const unsigned char screens_review_js[] = {
#embed "../../HubClient/web/screens/review.js"
};
static const unsigned char screens_search_js[] = {
#embed "../../HubClient/web/screens/search.js"
};
static const unsigned char screens_settings_js[] = {
#embed "../../HubClient/web/screens/settings.js"
};
static const unsigned char screens_status_js[] = {
#embed "../../HubClient/web/screens/status.js"
};
static const unsigned char screens_tags_js[] = {
#embed "../../HubClient/web/screens/tags.js"
};
static const unsigned char shared_js[] = {
#embed "../../HubClient/web/shared.js"
};
static const unsigned char sheets_js[] = {
#embed "../../HubClient/web/sheets.js"
};
static const unsigned char sw_js[] = {
#embed "../../HubClient/web/sw.js"
};
static const unsigned char worker_js[] = {
#embed "../../HubClient/web/worker.js"
};

static const HubClientFile files[] = {
  {"/address.js", "text/javascript; charset=utf-8", address_js, sizeof address_js},
  {"/app.css", "text/css; charset=utf-8", app_css, sizeof app_css},
  {"/app.js", "text/javascript; charset=utf-8", app_js, sizeof app_js},
  {"/bundles.js", "text/javascript; charset=utf-8", bundles_js, sizeof bundles_js},
  {"/dates.js", "text/javascript; charset=utf-8", dates_js, sizeof dates_js},
  {"/db.js", "text/javascript; charset=utf-8", db_js, sizeof db_js},
  {"/dom.js", "text/javascript; charset=utf-8", dom_js, sizeof dom_js},
  {"/edits.js", "text/javascript; charset=utf-8", edits_js, sizeof edits_js},
  {"/hub.js", "text/javascript; charset=utf-8", hub_js, sizeof hub_js},
  {"/icon-192.png", "image/png", icon_192_png, sizeof icon_192_png},
  {"/icon-512.png", "image/png", icon_512_png, sizeof icon_512_png},
  {"/icon-maskable.png", "image/png", icon_maskable_png, sizeof icon_maskable_png},
  {"/icon.svg", "image/svg+xml", icon_svg, sizeof icon_svg},
  {"/icons.js", "text/javascript; charset=utf-8", icons_js, sizeof icons_js},
  {"/index.html", "text/html; charset=utf-8", index_html, sizeof index_html},
  {"/keys.js", "text/javascript; charset=utf-8", keys_js, sizeof keys_js},
  {"/manifest.webmanifest", "application/manifest+json", manifest_webmanifest, sizeof manifest_webmanifest},
  {"/parts.js", "text/javascript; charset=utf-8", parts_js, sizeof parts_js},
  {"/places.js", "text/javascript; charset=utf-8", places_js, sizeof places_js},
  {"/position.js", "text/javascript; charset=utf-8", position_js, sizeof position_js},
  {"/press.js", "text/javascript; charset=utf-8", press_js, sizeof press_js},
  {"/preview.js", "text/javascript; charset=utf-8", preview_js, sizeof preview_js},
  {"/reminders.js", "text/javascript; charset=utf-8", reminders_js, sizeof reminders_js},
  {"/resources.js", "text/javascript; charset=utf-8", resources_js, sizeof resources_js},
  {"/reviewed.js", "text/javascript; charset=utf-8", reviewed_js, sizeof reviewed_js},
  {"/screens/agenda.js", "text/javascript; charset=utf-8", screens_agenda_js, sizeof screens_agenda_js},
  {"/screens/bundles.js", "text/javascript; charset=utf-8", screens_bundles_js, sizeof screens_bundles_js},
  {"/screens/capture.js", "text/javascript; charset=utf-8", screens_capture_js, sizeof screens_capture_js},
  {"/screens/conflicts.js", "text/javascript; charset=utf-8", screens_conflicts_js, sizeof screens_conflicts_js},
  {"/screens/versions.js", "text/javascript; charset=utf-8", screens_versions_js, sizeof screens_versions_js},
  {"/screens/devices.js", "text/javascript; charset=utf-8", screens_devices_js, sizeof screens_devices_js},
  {"/screens/entry.js", "text/javascript; charset=utf-8", screens_entry_js, sizeof screens_entry_js},
  {"/screens/files.js", "text/javascript; charset=utf-8", screens_files_js, sizeof screens_files_js},
  {"/screens/habits.js", "text/javascript; charset=utf-8", screens_habits_js, sizeof screens_habits_js},
  {"/screens/history.js", "text/javascript; charset=utf-8", screens_history_js, sizeof screens_history_js},
  {"/screens/holds.js", "text/javascript; charset=utf-8", screens_holds_js, sizeof screens_holds_js},
  {"/screens/home.js", "text/javascript; charset=utf-8", screens_home_js, sizeof screens_home_js},
  {"/screens/inbox.js", "text/javascript; charset=utf-8", screens_inbox_js, sizeof screens_inbox_js},
  {"/screens/menu.js", "text/javascript; charset=utf-8", screens_menu_js, sizeof screens_menu_js},
  {"/screens/nearby.js", "text/javascript; charset=utf-8", screens_nearby_js, sizeof screens_nearby_js},
  {"/screens/pair.js", "text/javascript; charset=utf-8", screens_pair_js, sizeof screens_pair_js},
  {"/screens/review.js", "text/javascript; charset=utf-8", screens_review_js, sizeof screens_review_js},
  {"/screens/search.js", "text/javascript; charset=utf-8", screens_search_js, sizeof screens_search_js},
  {"/screens/settings.js", "text/javascript; charset=utf-8", screens_settings_js, sizeof screens_settings_js},
  {"/screens/status.js", "text/javascript; charset=utf-8", screens_status_js, sizeof screens_status_js},
  {"/screens/tags.js", "text/javascript; charset=utf-8", screens_tags_js, sizeof screens_tags_js},
  {"/shared.js", "text/javascript; charset=utf-8", shared_js, sizeof shared_js},
  {"/sheets.js", "text/javascript; charset=utf-8", sheets_js, sizeof sheets_js},
  {"/sw.js", "text/javascript; charset=utf-8", sw_js, sizeof sw_js},
  {"/worker.js", "text/javascript; charset=utf-8", worker_js, sizeof worker_js},
};

const size_t hubClientFileCount = sizeof files / sizeof files[0];

const HubClientFile *hubClientFile(size_t index) { return &files[index]; }
