/** The heavy hitters of the newest epoch, by kind of key. */

import * as api from "../api.js";
import { element, table } from "../element.js";
import { short, whole } from "../format.js";
import { keyCell } from "../values/keys.js";
import { refill } from "../values/groups.js";
import { view } from "../view.js";

const COUNT = 5;

export const title = "Heavy hitters";

const VIEW = view(new URLSearchParams());

/** The cells of a row: rank, kind, key, estimate, share, change since the preceding epoch, details. */
export function cells(row, measure) {
  const unit = measure === "bytes" ? "B" : "";
  const change =
    row.change === null ? "" : (row.change < 0 ? "−" : "+") + short(Math.abs(row.change), unit);
  return [
    whole(row.rank),
    element("span", { class: "word" }, row.kind),
    keyCell(row.kind, row.key, VIEW),
    short(row.estimate, unit),
    (100 * row.share).toFixed(1) + " %",
    change,
    row.sources === null ? "" : whole(row.sources),
    row.top_ports ?? "",
    row.tcp_flags ?? "",
  ];
}

export async function refresh(place) {
  const top = await api.get(`hitters?n=${COUNT}`);
  if (top.rows.length === 0) {
    place.replaceChildren(element("p", {}, "No complete epoch yet."));
    return;
  }
  const headings = ["", "Kind", "Key", top.measure, "Share", "Change", "Sources", "Ports", "Flags"];
  const rows = top.rows.map((row) => cells(row, top.measure));
  refill(place, table(`Epoch of ${top.epoch}`, headings, rows, new Set([0, 3, 4, 5, 6])));
}
