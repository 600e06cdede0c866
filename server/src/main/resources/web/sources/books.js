/** The sum of each exporter's datagrams. Pure functions. */

/** What became of them: key in the ledger, and what it is called. */
export const PARTS = [
  ["stored", "Stored"],
  ["lost_before", "Lost before us"],
  ["lost_while_down", "Lost while down"],
  ["dropped_by_kernel", "Dropped by kernel"],
  ["dropped_by_us", "Dropped by us"],
  ["expired", "Expired in the log"],
  ["malformed", "Malformed"],
  ["in_flight", "In flight"],
];

const NOT_LOST = new Set(["stored", "in_flight"]);

/** Whether sent and duplicated are the sum of the parts, by this page's own arithmetic. */
export function addsUp(exporter) {
  const parts = PARTS.reduce((sum, [key]) => sum + exporter[key], 0);
  return exporter.adds_up && exporter.sent + exporter.duplicates === parts;
}

/** Datagrams that became no rows and will not. */
export function lost(exporter) {
  return PARTS.filter(([key]) => !NOT_LOST.has(key)).reduce((sum, [key]) => sum + exporter[key], 0);
}
