/** Tables and columns of the store, requested once. */

import * as api from "./api.js";

/** Columns that queries join on demand, and that are not in the schema. */
const REPORTED = ["exporter_name", ...["in", "out"].flatMap((side) => [`${side}_if_name`, `${side}_if_description`, `${side}_if_mbit_s`, `${side}_if_boundary`, `${side}_vrf_name`]), "app_name", "app_description", "sampler_name"];

const QUERY = "SELECT table_name, column_name, data_type FROM information_schema.columns";

let pending = null;

/** Names and types of columns by table: {flows: {time: "TIMESTAMP", …}, …}. */
export function tables() {
  pending ??= load();
  pending.catch(() => (pending = null)); // retried later
  return pending;
}

/** The columns of flows, including joined ones with names reported by devices. */
export async function columns() {
  const stored = Object.keys((await tables()).flows ?? {});
  return [...new Set([...stored, ...REPORTED])];
}

async function load() {
  const found = {};
  for (const [table, column, type] of (await api.sql(QUERY)).rows) {
    (found[table] ??= {})[column] = type;
  }
  return found;
}
