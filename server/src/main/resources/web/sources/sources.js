/** Sources: exporters with outcomes and findings, data sets, dead letters, storage. */

import * as api from "../api.js";
import { element, table, wide } from "../element.js";
import { duration, percent, short, whole } from "../format.js";
import { refill } from "../values/groups.js";
import { value } from "../values/value.js";
import { view } from "../view.js";
import { addsUp, lost, PARTS } from "./books.js";
import { datasets } from "./datasets.js";
import { letter } from "./letters.js";

export const title = "Sources and data";

const VIEW = view(new URLSearchParams());

export function open(place) {
  const problem = element("p", { class: "problem", role: "alert", hidden: "" });
  const notes = element("div");
  const exporters = wide("Exporters", "loading…");
  const kept = element("dl", { class: "figures" });
  const rejected = wide("Rejected rows");
  const joined = wide("Data sets");
  const letters = element("div");
  let before = null;
  place.append(
    element("h2", { class: "hidden" }, title),
    problem,
    element("section", {}, element("h3", {}, "Exporters"), notes, exporters),
    element("section", {}, element("h3", {}, "Data sets"), joined),
    element("section", {}, element("h3", {}, "Dead letters"), letters),
    element("section", {}, element("h3", {}, "Storage"), kept),
    element("section", {}, element("h3", {}, "Rejected rows"), rejected),
  );

  /** Dead letters are requested only once: they are read from the log, and the user may have one open. */
  async function unread() {
    try {
      const { rows } = await api.deadLetters();
      letters.replaceChildren(...(rows.length > 0 ? rows.map(letter) : [element("p", {}, "None: all input was decoded.")]));
    } catch (failure) {
      letters.replaceChildren(element("p", { class: "problem" }, failure.message));
    }
  }

  async function refresh() {
    try {
      const [ledger, status, sets] = await Promise.all([api.ledger(), api.status(), api.datasets()]);
      problem.hidden = true;
      notes.replaceChildren(...(ledger.notes ?? []).map((note) => element("p", { class: "advice" }, note)));
      refill(exporters, ledger.exporters.length > 0 ? books(ledger.exporters, status.now_ms, before) : element("p", {}, "No exporter has sent data yet."));
      before = { at: status.now_ms, sent: new Map(ledger.exporters.map((exporter) => [exporter.exporter, exporter.sent])) };
      refill(joined, ...datasets(sets.rows));
      const figures = [
        ["Rows of flows", whole(status.rows)],
        ["On disk", short(status.disk_bytes, "B")],
        ["Removed by retention", whole(status.rows_removed)],
        ["Restarts", whole(status.restarts)],
        ["Listening", status.listening.join(", ")],
        ["Flight SQL", status.flight_sql ?? "off"],
      ];
      kept.replaceChildren(...figures.map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text))));
      const { rows } = await api.sql("SELECT table_name, reason, count(*), any_value(row) FROM rejected_rows GROUP BY ALL ORDER BY 3 DESC LIMIT 20");
      rejected.replaceChildren(
        rows.length > 0 ? table(null, ["Table", "Reason", "Rows", "Example"], rows.map((row) => row.map(String)), new Set([2])) : element("p", {}, "None: the store accepted all rows."),
      );
    } catch (failure) {
      problem.hidden = false;
      problem.textContent = failure.message;
    }
  }

  return {
    async update() {
      await Promise.all([refresh(), unread()]);
    },
    refresh,
    pauseMs: 5_000,
  };
}

/** The table of exporters, with findings in the first column, and only losses that occurred. Rates are since the last refresh. */
function books(exporters, now, before) {
  const isNumbered = exporters.some((exporter) => exporter.lost_records > 0);
  const happened = PARTS.filter(([key]) => exporters.some((exporter) => exporter[key] > 0));
  const headings = ["Exporter", "Findings", "Protocol", "Last seen", "Rate", "Sent", ...happened.map(([, name]) => name), "Lost", "Gaps", ...(isNumbered ? ["Records missing"] : []), "Rows", "Templates"];
  const numeric = new Set(headings.keys());
  [0, 1, 2, 3].forEach((i) => numeric.delete(i));
  const rows = exporters.map((exporter) => [
    element("td", {}, value("exporter", exporter.exporter, exporter.name, {}, VIEW)),
    advice(exporter),
    exporter.protocol,
    `${duration(Math.max(0, now - exporter.last_seen_ms))} ago`,
    rate(exporter, now, before),
    whole(exporter.sent),
    ...happened.map(([key]) => whole(exporter[key])),
    percent(lost(exporter), exporter.sent),
    gaps(exporter, now),
    ...(isNumbered ? [whole(exporter.lost_records)] : []),
    whole(exporter.rows),
    exporter.templates > 0 ? whole(exporter.templates) : "–",
  ]);
  return table(null, headings, rows, numeric);
}

/** Number of gaps since the start, and time of the last. */
function gaps({ gaps, last_gap_ms: last }, now) {
  return gaps > 0 ? `${whole(gaps)}, ${duration(Math.max(0, now - last))} ago` : "none";
}

function rate({ exporter, sent }, now, before) {
  const known = before?.sent.get(exporter);
  return known == null || now <= before.at ? "–" : short((1000 * (sent - known)) / (now - before.at), "/s");
}

function advice(exporter) {
  const items = exporter.findings.map((finding) => element("li", {}, element("strong", {}, `${finding.stage}: ${finding.cause}. `), finding.advice));
  if (!addsUp(exporter)) {
    items.unshift(element("li", { class: "bad" }, "The ledger does not add up; please report this bug."));
  }
  return items.length > 0 ? element("ul", { class: "advice" }, ...items) : "all well";
}
