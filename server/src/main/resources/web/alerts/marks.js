/** Marks the start of alerts in a chart. */

import * as api from "../api.js";
import * as dimensions from "../dimensions.js";
import { parts } from "../values/keys.js";
import * as time from "../time.js";
import { called } from "./alerts.js";

const MOST = 50; // alerts requested
const AGAIN_MS = 10_000;

/** Whether an alert concerns the subject of a details page: an address, an AS, a port. */
export function isAbout(alert, page, things) {
  const columns = parts(alert.by, alert.key);
  const others = Object.fromEntries(columns);
  return columns.some(([column, value]) => {
    const its = dimensions.page(column, value, others);
    return its?.[0] === page && its[1].join(" ") === things.join(" ");
  });
}

/** Whether an alert may match a filter: the filter has a part of the key, or is empty. */
export function isWithin(alert, filter) {
  return filter === "" || alert.key.split(" ").some((part) => filter.includes(part));
}

/**
 * Returns a function that marks the alerts which began in the time range of a result.
 *
 * @param wanted predicate of alerts to mark
 * @param key text that their keys must contain, or null
 */
export function marksOf(plot, wanted = () => true, key = null) {
  let last = null; // {from, to, at}
  return async ({ from, to }) => {
    if (last && last.from === from && last.to === to) return;
    if (last && Date.now() - last.at < AGAIN_MS && last.length === Date.parse(to) - Date.parse(from)) return;
    last = { from, to, at: Date.now(), length: Date.parse(to) - Date.parse(from) };
    try {
      const { rows } = await api.alerts({ from, to, key, n: MOST, begun: "true" });
      plot.mark(
        rows
          .filter(wanted)
          .map((row) => ({ ms: Date.parse(row.first_seen), text: `${time.moment(Date.parse(row.first_seen))}: new ${called(row)}`, href: row.page })),
      );
    } catch {
      plot.mark([]); // marks are optional
    }
  };
}
