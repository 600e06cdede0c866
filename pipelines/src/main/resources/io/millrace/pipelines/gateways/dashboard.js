/** The ten gateways with the most bytes of the newest day. */

import * as api from "../api.js";
import { element, table } from "../element.js";
import { short, whole } from "../format.js";

const COUNT = 10;

export const title = "Gateways";

/** The cells of a row: rank, gateway, total, sent, received, hours covered. */
export function cells(row) {
  return [
    whole(row.rank),
    row.gateway,
    short(row.total, "B"),
    short(row.tx, "B"),
    short(row.rx, "B"),
    (row.seconds / 3600).toFixed(2),
  ];
}

export async function refresh(place) {
  const top = await api.get(`gateways/top?n=${COUNT}`);
  if (top.rows.length === 0) {
    place.replaceChildren(element("p", {}, "No records yet."));
    return;
  }
  const heading = `${top.day}: largest of ${whole(top.gateways)} gateways`;
  const headings = ["", "Gateway", "Bytes", "Sent", "Received", "Hours covered"];
  place.replaceChildren(table(heading, headings, top.rows.map(cells), new Set([0, 2, 3, 4, 5])));
}
