/** Loss ledger of the exporters. Pure functions. */

/** Outcomes of datagrams: key in the ledger, and title. */
export const PARTS = [
  ["stored", "Stored"],
  ["lost_before", "Lost before arrival"],
  ["lost_while_down", "Lost while Millrace was down"],
  ["dropped_by_kernel", "Dropped by kernel"],
  ["dropped_by_us", "Dropped by collector"],
  ["expired", "Expired in the log"],
  ["malformed", "Malformed"],
  ["in_flight", "In flight"],
];

const NOT_LOST = new Set(["stored", "in_flight"]);

/** Checks that sent and duplicates equal the sum of the parts. */
export function addsUp(exporter) {
  const parts = PARTS.reduce((sum, [key]) => sum + exporter[key], 0);
  return exporter.adds_up && exporter.sent + exporter.duplicates === parts;
}

/** Datagrams without rows, now and later. */
export function lost(exporter) {
  return PARTS.filter(([key]) => !NOT_LOST.has(key)).reduce((sum, [key]) => sum + exporter[key], 0);
}
