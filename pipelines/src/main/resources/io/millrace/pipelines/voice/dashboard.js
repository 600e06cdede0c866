/** Controllers of base stations, limited ones first. */

import * as api from "../api.js";
import { element, table } from "../element.js";
import { short } from "../format.js";

const COUNT = 10;

export const title = "Voice protection";

/** The cells of a row: controller, state, start of the limit, bytes of messages in the window, share of voice channels in use. */
export function cells(row) {
  return [
    String(row.controller),
    row.state,
    row.since === null ? "" : row.since.slice(11, 19),
    short(row.bytes, "B"),
    row.in_use === null ? "" : (100 * row.in_use).toFixed(0) + " %",
  ];
}

export async function refresh(place) {
  const { controllers } = await api.get(`voice/controllers?n=${COUNT}`);
  if (controllers.length === 0) {
    place.replaceChildren(element("p", {}, "No records yet."));
    return;
  }
  const limited = controllers.filter((row) => row.state === "limit").length;
  const heading = `${limited} of ${controllers.length} controllers shown are limited`;
  const headings = ["Controller", "State", "Since", "Messages", "Voice in use"];
  place.replaceChildren(table(heading, headings, controllers.map(cells), new Set([0, 3, 4])));
}
