/** What traffic can be told apart by: columns of flows, what they are called, and which have a page of their own. Pure functions. */

import { protocol } from "./names.js";

/** Where traffic goes to, by the boundaries that it crosses: what is external lies outside, all that is called otherwise inside. */
export const DIRECTIONS = {
  in: "in_if_boundary = 'external' AND out_if_boundary <> 'external'",
  out: "in_if_boundary <> 'external' AND out_if_boundary = 'external'",
  through: "in_if_boundary = 'external' AND out_if_boundary = 'external'",
  inside: "in_if_boundary <> 'external' AND out_if_boundary <> 'external'",
  unknown: "(in_if_boundary IS NULL OR out_if_boundary IS NULL)",
};

/** Stands for one of the directions: no column, but a condition on two. */
export const CROSSING = "crossing";

/** Which of the directions traffic with these boundaries has. */
export function directionOf(into, out) {
  if (into == null || out == null) return "unknown";
  if (into === "external") return out === "external" ? "through" : "in";
  return out === "external" ? "out" : "inside";
}

const TITLES = {
  [CROSSING]: "Direction",
  src_as: "Source AS",
  dst_as: "Destination AS",
  src_member: "Source member",
  dst_member: "Destination member",
  src_member_asn: "Source member's AS",
  dst_member_asn: "Destination member's AS",
  src_domain: "Source domain",
  dst_domain: "Destination domain",
  src_dns: "Source name",
  dst_dns: "Destination name",
  src_addr: "Source address",
  dst_addr: "Destination address",
  src_port: "Source port",
  dst_port: "Destination port",
  proto: "Protocol",
  exporter: "Exporter",
  exporter_name: "Exporter's name",
  in_if: "Interface in",
  out_if: "Interface out",
  in_if_name: "Name of interface in",
  out_if_name: "Name of interface out",
  in_if_description: "Description of interface in",
  out_if_description: "Description of interface out",
  in_if_mbit_s: "Speed in, Mbit/s",
  out_if_mbit_s: "Speed out, Mbit/s",
  in_if_boundary: "Boundary in",
  out_if_boundary: "Boundary out",
  in_vrf: "VRF in",
  out_vrf: "VRF out",
  in_vrf_name: "Name of VRF in",
  out_vrf_name: "Name of VRF out",
  app_id: "Application",
  app_name: "Name of application",
  app_description: "Description of application",
  sampler: "Sampler",
  sampler_name: "Name of sampler",
  agent: "Agent",
  sub_agent: "Sub-agent",
  direction: "Direction",
  src_vlan: "VLAN in",
  dst_vlan: "VLAN out",
  src_mac: "Source MAC address",
  dst_mac: "Destination MAC address",
  next_hop: "Next hop",
  tos: "Type of service",
  tcp_flags: "TCP flags",
  ether_type: "EtherType",
};

/** Those that have no meaning as groups: measures, times, places in the log. */
const NO_GROUPS = /^(time|bytes|packets|sampling_rate|flow_start|flow_end|log_.*|community_id)$/;

const PAGES = [
  [/(^|_)as$|_member_asn$/, "as"],
  [/(^|_)member$/, "member"],
  [/(^|_)domain$/, "domain"],
  [/(^|_)addr$|^next_hop$/, "address"],
  [/^(src|dst)_port$/, "port"],
  [/^exporter$/, "exporter"],
];

/** What a dimension is called; a column without a name of ours by its own. */
export function title(dimension) {
  return TITLES[dimension] ?? dimension.replaceAll("_", " ");
}

/** The dimensions among these columns, those with a name of ours first. */
export function choices(columns) {
  const known = Object.keys(TITLES).filter((name) => columns.includes(name));
  return [...known, ...columns.filter((name) => !TITLES[name] && !NO_GROUPS.test(name))];
}

/** The condition of the filter language that only this value meets; null is "unknown". */
export function clause(dimension, key) {
  if (dimension === CROSSING) return DIRECTIONS[key];
  if (key == null) return `${dimension} IS NULL`;
  if (isPrefix(dimension, key)) return `${dimension} IN ${key}`;
  return `${dimension} = ${written(dimension, key)}`;
}

/** The condition that all others meet, those that are unknown too. */
export function otherwise(dimension, key) {
  return key == null ? `${dimension} IS NOT NULL` : `(${clause(dimension, key)}) IS NOT TRUE`;
}

function isPrefix(dimension, key) {
  return /_addr$/.test(dimension) && /^[\d.]+\/\d+$|^[0-9a-f:.]*:[0-9a-f:.]*\/\d+$/i.test(key);
}

/** A value as it is written in a filter: protocols by their names, members in quotes even where they are called by a number. */
export function written(dimension, key) {
  if (/(^|_)member$/.test(dimension)) return quoted(key);
  return (dimension === "proto" && protocol(key)) || literal(key);
}

/** A text in quotes, also one of digits alone. */
export function quoted(text) {
  return `'${String(text).replaceAll("'", "''")}'`;
}

/** A number as it stands, all else in quotes. */
export function literal(key) {
  return /^\d+$/.test(key) ? key : quoted(key);
}

/** Both conditions; either may be empty. */
export function both(filter, condition) {
  if (!filter) return condition;
  if (!condition) return filter;
  return `${/\bor\b|\|\|/i.test(filter) ? `(${filter})` : filter} AND ${condition}`;
}

/**
 * The page of a value, as [page, things], or null if it has none. An interface is a number that says something only beside
 * its exporter.
 *
 * @param others key by dimension of the group that the value stands in
 */
export function page(dimension, key, others = {}) {
  if (key == null) return null;
  const [, side] = /^(in|out)_if(?:_name|_description)?$/.exec(dimension) ?? [];
  if (side) {
    const number = others[`${side}_if`] ?? (dimension === `${side}_if` ? key : null);
    return others.exporter == null || number == null ? null : ["interface", [others.exporter, String(number)]];
  }
  if (dimension === "exporter_name") return others.exporter == null ? null : ["exporter", [others.exporter]];
  if (isPrefix(dimension, key)) return ["prefix", [key]];
  const found = PAGES.find(([pattern]) => pattern.test(dimension));
  return found ? [found[1], [String(key)]] : null;
}
