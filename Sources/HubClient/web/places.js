// Places of entries: the properties COORDINATES, or LOCATION if it is a pair of numbers, as the query `near.` reads them. Pure.

/** The place of an entry as `{latitude, longitude, radius}`; null if it has none. */
export function placeOf(item) {
  const value = name => Object.entries(item.properties ?? {}).find(([key]) => key.toUpperCase() === name)?.[1];
  const parts = (value("COORDINATES") ?? value("LOCATION") ?? "").trim().replace(/^geo:/, "").split(";")[0].split(",").map(part => part.trim());
  const [latitude, longitude] = parts.map(part => part ? Number(part) : NaN);
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return null;
  const radius = Number(value("LOCATION_RADIUS"));
  return { latitude, longitude, radius: radius > 0 ? radius : 500 };
}

const radians = degrees => degrees * Math.PI / 180;

/** Metres between two places on a sphere (haversine formula, mean radius of the Earth). */
export function distance(a, b) {
  const half = angle => Math.sin(radians(angle) / 2) ** 2;
  return 2 * 6_371_008.8 * Math.asin(Math.sqrt(half(b.latitude - a.latitude) + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(b.longitude - a.longitude)));
}

const WINDS = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];

/** The direction in which one sees a place, as a word. */
export function direction(from, to) {
  const east = radians(to.longitude - from.longitude), [a, b] = [radians(from.latitude), radians(to.latitude)];
  const angle = Math.atan2(Math.sin(east) * Math.cos(b), Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(east));
  return WINDS[Math.round(angle / (Math.PI / 4) + 8) % 8];
}

/** A distance for people. */
export const inWords = metres => metres < 1000 ? `${Math.round(metres / 10) * 10} m` : `${(metres / 1000).toFixed(metres < 10_000 ? 1 : 0)} km`;

/** The entries with a place by their distance from one: those within their radius, and the others. */
export function around(items, here) {
  const placed = items.map(item => ({ item, place: placeOf(item) })).filter(({ item, place }) => place && !item.done)
    .map(one => ({ ...one, metres: distance(here, one.place) })).sort((a, b) => a.metres - b.metres);
  return { near: placed.filter(one => one.metres <= one.place.radius), far: placed.filter(one => one.metres > one.place.radius) };
}
