/** The ten largest AS pairs, domain pairs, name pairs, port pairs and address pairs. */

import * as api from "../api.js";
import { element, table } from "../element.js";
import { percent, short } from "../format.js";

const TABLES = [
  ["as", "AS pairs"],
  ["domain", "Domain pairs"],
  ["dns", "DNS pairs"],
  ["port", "Ports"],
  ["addr", "Addresses"],
];
const COUNT = 10;

/** Volume as people think of it: bytes over a time as bit/s, packets as packets/s. */
export function rate(volume, seconds, metric) {
  if (!(seconds > 0)) return "–";
  return metric === "bytes" ? short((8 * volume) / seconds, "bit/s") : short(volume / seconds, "p/s");
}

export function start() {
  const form = document.getElementById("top-form");
  form.addEventListener("change", refresh);
  form.addEventListener("submit", (event) => event.preventDefault()); // a change has asked already
}

export async function refresh() {
  const form = new FormData(document.getElementById("top-form"));
  const metric = form.get("metric");
  const made = [];
  const filter = form.get("filter").trim();
  let refused = "";
  for (const [by, title] of TABLES) {
    try {
      made.push(show(title, await api.top(by, metric, form.get("last"), COUNT, filter), metric));
    } catch (failure) {
      if (failure.position != null) {
        refused = failure.message; // the filter cannot be read: once is enough
        break;
      }
      made.push(element("p", { class: "problem" }, `${title}: ${failure.message}`));
    }
  }
  const now = new FormData(document.getElementById("top-form"));
  if (["metric", "last", "filter"].some((field) => now.get(field) !== form.get(field))) {
    return; // asked anew meanwhile
  }
  const error = document.getElementById("filter-error");
  error.hidden = refused === "";
  error.textContent = refused;
  document.getElementById("top-filter").setAttribute("aria-invalid", String(refused !== ""));
  document.getElementById("top-tables").replaceChildren(...made);
}

function show(title, answer, metric) {
  const names = answer.columns.length;
  const largest = Math.max(...answer.rows.map((row) => row.volume), 0);
  const rows = answer.rows.map((row) => [
    ...row.values.map((value) => element("td", value == null ? { class: "null" } : {}, value ?? "unknown")),
    rate(row.volume, answer.seconds, metric),
    percent(row.volume, answer.total),
    bar(largest > 0 ? row.volume / largest : 0),
  ]);
  const volume = answer.estimated ? "Estimate" : "Volume";
  const made = table(title, [...answer.columns, volume, "Share", ""], rows, new Set([names, names + 1]));
  if (!answer.source) {
    return made;
  }
  const others = answer.others > 0 ? `; ${percent(answer.others, answer.total)} in groups too small to be kept` : "";
  return element("div", {}, made, element("p", { class: "source" }, `from ${answer.source}${others}`));
}

/** As long as the row's share of the first row's volume: shares of all traffic are mostly small. */
function bar(share) {
  const width = (100 * share).toFixed(1);
  const made = element("span", { "aria-hidden": "true" });
  made.style.width = `${width}%`;
  return element("td", { class: "share" }, made);
}
