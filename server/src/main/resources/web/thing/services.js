/**
 * Services that a thing uses or offers. The service of a conversation follows from both of its ports, not from the destination
 * port of each flow.
 */

import * as api from "../api.js";
import { both, literal, written } from "../dimensions.js";
import { isService, isWellKnown } from "../names.js";

const COUNT = 8;
const MIN_PEERS = 2;
const MIN_SHARE = 0.01; // of flows to services
const MAX_PORTS = 64; // more ports indicate random ports

/**
 * The filter of flows to services, or null without any. A port that is not well-known needs flows of several peers and a
 * hundredth of all; random ports of an attack have neither. With many ports, well-known ones need a hundredth too, since random
 * ports include them.
 *
 * @param filter of flows to the service, in the filter language
 * @param from start of the window, ISO 8601
 * @param to end of the window, exclusive
 */
export async function servicesOnly(filter, { from, to }) {
  const condition = (await api.filter(filter)).sql;
  const { rows } = await api.sql(servicesSql(condition, from, to));
  if (rows.length === 0) return null;
  const ports = new Map();
  for (const [proto, port] of rows) ports.set(String(proto), [...(ports.get(String(proto)) ?? []), port]);
  const each = [...ports].map(([proto, its]) => `(proto = ${written("proto", proto)} AND dst_port IN (${its.join(", ")}))`);
  return both(filter, each.length > 1 ? `(${each.join(" OR ")})` : each[0]);
}

/** Query for protocol and port of the largest services. A pure function. */
export function servicesSql(condition, from, to) {
  const at = (text) => `TIMESTAMP ${literal(new Date(text).toISOString().replace("T", " ").replace("Z", ""))}`;
  return `SELECT proto, dst_port FROM (
  SELECT proto, dst_port, count(*) AS flows, count(DISTINCT (src_addr, src_port)) AS peers, sum(bytes * sampling_rate) AS volume, sum(count(*)) OVER () AS all_flows, count(*) OVER () AS ports
  FROM flows WHERE (${condition}) AND time >= ${at(from)} AND time < ${at(to)} AND ${isService("dst")}
  GROUP BY proto, dst_port)
WHERE (${isWellKnown("dst_port")} AND ports <= ${MAX_PORTS}) OR ((${isWellKnown("dst_port")} OR peers >= ${MIN_PEERS}) AND flows >= ${MIN_SHARE} * all_flows)
ORDER BY volume DESC LIMIT ${COUNT}`;
}
