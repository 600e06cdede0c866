/** Where each exporter's datagrams went, and what to do about it. */

import * as api from "../api.js";
import { element, table } from "../element.js";
import { whole } from "../format.js";

const PARTS = [
  ["stored", "Stored"],
  ["lost_before", "Lost before us"],
  ["lost_while_down", "Lost while down"],
  ["dropped_by_kernel", "Dropped by kernel"],
  ["dropped_by_us", "Dropped by us"],
  ["expired", "Expired in the log"],
  ["malformed", "Malformed"],
  ["in_flight", "In flight"],
];

/** Whether sent and duplicated are the sum of the parts, by this page's own arithmetic. */
export function addsUp(exporter) {
  const parts = PARTS.reduce((sum, [key]) => sum + exporter[key], 0);
  return exporter.adds_up && exporter.sent + exporter.duplicates === parts;
}

export async function refresh() {
  const place = document.getElementById("ledger-table");
  try {
    const answer = await api.ledger();
    place.replaceChildren(
      ...(answer.notes ?? []).map((note) => element("p", {}, note)),
      answer.exporters.length > 0 ? show(answer.exporters) : element("p", {}, "No exporter has sent anything yet."),
    );
  } catch (failure) {
    place.replaceChildren(element("p", { class: "problem" }, failure.message));
  }
}

function show(exporters) {
  const headings = ["Exporter", "Sent", "Duplicates", ...PARTS.map(([, title]) => title), "Lost records", "What to do"];
  const numeric = new Set(headings.keys());
  numeric.delete(0);
  numeric.delete(headings.length - 1);
  const rows = exporters.map((exporter) => [
    exporter.name,
    whole(exporter.sent),
    whole(exporter.duplicates),
    ...PARTS.map(([key]) => whole(exporter[key])),
    whole(exporter.lost_records),
    advice(exporter),
  ]);
  return table("", headings, rows, numeric);
}

function advice(exporter) {
  const items = exporter.findings.map((finding) =>
    element("li", {}, element("strong", {}, `${finding.stage}: ${finding.cause}. `), finding.advice),
  );
  if (!addsUp(exporter)) {
    items.unshift(element("li", { class: "bad" }, "The ledger does not add up: please report this."));
  }
  return items.length > 0 ? element("ul", { class: "advice" }, ...items) : "all well";
}
