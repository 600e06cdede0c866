/** Marks in a chart where alerts began. */

import * as api from "../api.js";
import * as dimensions from "../dimensions.js";
import { parts } from "../values/keys.js";
import * as time from "../time.js";
import { called } from "./alerts.js";

const MOST = 50; // that are asked for
const AGAIN_MS = 10_000;

/** Whether an alert is about what has this page: an address, an AS, a port. */
export function isAbout(alert, page, things) {
  const columns = parts(alert.by, alert.key);
  const others = Object.fromEntries(columns);
  return columns.some(([column, value]) => {
    const its = dimensions.page(column, value, others);
    return its?.[0] === page && its[1].join(" ") === things.join(" ");
  });
}

/** Whether an alert may be among the flows that a filter leaves: it names a part of the key, or nothing at all. */
export function isWithin(alert, filter) {
  return filter === "" || alert.key.split(" ").some((part) => filter.includes(part));
}

/**
 * Gives a function that is told the answer that a plot shows, and marks in it the alerts that began in its time.
 *
 * @param wanted which alerts are to be marked
 * @param key what all of them have in their key; or null
 */
export function marksOf(plot, wanted = () => true, key = null) {
  let asked = null; // {from, to, at}
  return async ({ from, to }) => {
    if (asked && asked.from === from && asked.to === to) return;
    if (asked && Date.now() - asked.at < AGAIN_MS && asked.length === Date.parse(to) - Date.parse(from)) return;
    asked = { from, to, at: Date.now(), length: Date.parse(to) - Date.parse(from) };
    try {
      const { rows } = await api.alerts({ from, to, key, n: MOST, begun: "true" });
      plot.mark(
        rows
          .filter(wanted)
          .map((row) => ({ ms: Date.parse(row.first_seen), text: `${time.moment(Date.parse(row.first_seen))}: new ${called(row)}`, href: row.page })),
      );
    } catch {
      plot.mark([]); // the chart stands without them
    }
  };
}
