/** The ten gateways with the most bytes of the newest day; hidden where none are added up. */

import * as api from "../api.js";
import { element, table } from "../element.js";
import { short, whole } from "../format.js";

const COUNT = 10;
const ABSENT = 404;
let isAbsent = false;

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

export async function refresh() {
  if (isAbsent) return; // for as long as the page stands: the setting is read at the start
  const place = document.getElementById("gateways-table");
  try {
    show(place, await api.topGateways(COUNT));
  } catch (failure) {
    isAbsent = failure.status === ABSENT;
    if (!isAbsent) place.replaceChildren(element("p", { class: "problem" }, failure.message));
  }
  for (const part of document.querySelectorAll(".of-gateways")) part.hidden = isAbsent;
}

function show(place, top) {
  if (top.rows.length === 0) {
    place.replaceChildren(element("p", {}, "No records yet."));
    return;
  }
  const title = `${top.day}, of ${whole(top.gateways)} gateways`;
  const headings = ["", "Gateway", "Bytes", "Sent", "Received", "Hours covered"];
  place.replaceChildren(table(title, headings, top.rows.map(cells), new Set([0, 2, 3, 4, 5])));
}
