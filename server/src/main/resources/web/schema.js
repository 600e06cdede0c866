/** Tables and columns of the store, asked for once. */

import * as api from "./api.js";

const QUERY = "SELECT table_name, column_name, data_type FROM information_schema.columns";

let asked = null;

/** Names and types of columns by table: {flows: {time: "TIMESTAMP", …}, …}. */
export function tables() {
  asked ??= load();
  asked.catch(() => (asked = null)); // asked again when the server is back
  return asked;
}

/** The columns of flows. */
export async function columns() {
  return Object.keys((await tables()).flows ?? {});
}

async function load() {
  const found = {};
  for (const [table, column, type] of (await api.sql(QUERY)).rows) {
    (found[table] ??= {})[column] = type;
  }
  return found;
}
