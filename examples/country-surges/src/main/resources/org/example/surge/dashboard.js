/** The newest surges. */

import * as api from "../api.js";
import { element, table } from "../element.js";
import { whole } from "../format.js";

export const title = "Country surges";

export async function refresh(place) {
  const newest = await api.sql(
    "SELECT minute_end, country, packets, usual FROM country_surges ORDER BY minute_end DESC, country LIMIT 10");
  if (newest.rows.length === 0) {
    place.replaceChildren(element("p", {}, "No surges yet."));
    return;
  }
  const cells = newest.rows.map(([end, country, packets, usual]) =>
    [String(end).slice(11, 16), country, whole(packets), whole(usual)]);
  place.replaceChildren(table("Newest surges", ["Until", "Country", "Packets", "Usual"], cells, new Set([2, 3])));
}
