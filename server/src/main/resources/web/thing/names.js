/** Reported names of a device or interface. */

import * as api from "../api.js";
import { literal } from "../dimensions.js";
import { short } from "../format.js";
import * as schema from "../schema.js";

const OF_INTERFACE = ["name", "description", "mbit_s", "boundary"];

/** Name, description, speed and boundary, if known: {dimension, key, text} each. */
export async function called(exporter, number = null) {
  const names = number == null ? ["exporter_name"] : OF_INTERFACE.map((name) => `in_if_${name}`);
  const known = await schema.columns();
  const columns = names.filter((name) => known.includes(name));
  const condition = number == null ? "" : ` AND in_if = ${literal(number)}`;
  const { rows } = await api.sql(`SELECT ${columns.join(", ")} FROM flows WHERE exporter = ${literal(exporter)}${condition} AND time > (SELECT max(time) - INTERVAL 1 HOUR FROM flows WHERE time < now()::TIMESTAMP + INTERVAL 1 MINUTE) LIMIT 1`);
  return (rows[0] ?? [])
    .map((key, i) => ({ dimension: columns[i], key, text: columns[i].endsWith("_mbit_s") ? short(Number(key) * 1e6, "bit/s") : key }))
    .filter(({ key }) => key != null);
}
