/** Dimensions: columns of flows with titles, filter conditions and detail pages. Pure functions. */

import { protocol } from "./names.js";

/** Directions of traffic by the boundaries of its interfaces: "external" is outside, any other value inside. */
export const DIRECTIONS = {
  in: "in_if_boundary = 'external' AND out_if_boundary <> 'external'",
  out: "in_if_boundary <> 'external' AND out_if_boundary = 'external'",
  through: "in_if_boundary = 'external' AND out_if_boundary = 'external'",
  inside: "in_if_boundary <> 'external' AND out_if_boundary <> 'external'",
  unknown: "(in_if_boundary IS NULL OR out_if_boundary IS NULL)",
};

/** The pseudo-dimension of directions: a condition on two columns. */
export const CROSSING = "crossing";

/** The direction of traffic with these boundaries. */
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
  in_if: "Ingress interface",
  out_if: "Egress interface",
  in_if_name: "Ingress interface name",
  out_if_name: "Egress interface name",
  in_if_description: "Ingress interface description",
  out_if_description: "Egress interface description",
  in_if_mbit_s: "Ingress speed, Mbit/s",
  out_if_mbit_s: "Egress speed, Mbit/s",
  in_if_boundary: "Ingress boundary",
  out_if_boundary: "Egress boundary",
  in_vrf: "Ingress VRF",
  out_vrf: "Egress VRF",
  in_vrf_name: "Ingress VRF name",
  out_vrf_name: "Egress VRF name",
  app_id: "Application",
  app_name: "Application name",
  app_description: "Application description",
  sampler: "Sampler",
  sampler_name: "Sampler name",
  agent: "Agent",
  sub_agent: "Sub-agent",
  direction: "Direction",
  src_vlan: "Ingress VLAN",
  dst_vlan: "Egress VLAN",
  src_mac: "Source MAC address",
  dst_mac: "Destination MAC address",
  next_hop: "Next hop",
  tos: "Type of service",
  tcp_flags: "TCP flags",
  ether_type: "EtherType",
};

/** Columns that cannot be dimensions: measures, times, positions in the log. */
const NO_GROUPS = /^(time|bytes|packets|sampling_rate|flow_start|flow_end|log_.*|community_id)$/;

const PAGES = [
  [/(^|_)as$|_member_asn$/, "as"],
  [/(^|_)member$/, "member"],
  [/(^|_)domain$/, "domain"],
  [/(^|_)addr$|^next_hop$/, "address"],
  [/^(src|dst)_port$/, "port"],
  [/^exporter$/, "exporter"],
];

/** The title of a dimension; by default the column's name. */
export function title(dimension) {
  return TITLES[dimension] ?? dimension.replaceAll("_", " ");
}

/** The dimensions among these columns, those with a title first. */
export function choices(columns) {
  const known = Object.keys(TITLES).filter((name) => columns.includes(name));
  return [...known, ...columns.filter((name) => !TITLES[name] && !NO_GROUPS.test(name))];
}

/** The filter condition for a value; null is "unknown". */
export function clause(dimension, key) {
  if (dimension === CROSSING) return DIRECTIONS[key];
  if (key == null) return `${dimension} IS NULL`;
  if (isPrefix(dimension, key)) return `${dimension} IN ${key}`;
  return `${dimension} = ${written(dimension, key)}`;
}

/** The filter condition for all other values, including unknown. */
export function otherwise(dimension, key) {
  return key == null ? `${dimension} IS NOT NULL` : `(${clause(dimension, key)}) IS NOT TRUE`;
}

function isPrefix(dimension, key) {
  return /_addr$/.test(dimension) && /^[\d.]+\/\d+$|^[0-9a-f:.]*:[0-9a-f:.]*\/\d+$/i.test(key);
}

/** A value in a filter: protocols by name, members always quoted. */
export function written(dimension, key) {
  if (/(^|_)member$/.test(dimension)) return quoted(key);
  return (dimension === "proto" && protocol(key)) || literal(key);
}

/** A quoted text. */
export function quoted(text) {
  return `'${String(text).replaceAll("'", "''")}'`;
}

/** A number unchanged, other values quoted. */
export function literal(key) {
  return /^\d+$/.test(key) ? key : quoted(key);
}

/** Conjunction of two conditions; either may be empty. */
export function both(filter, condition) {
  if (!filter) return condition;
  if (!condition) return filter;
  return `${/\bor\b|\|\|/i.test(filter) ? `(${filter})` : filter} AND ${condition}`;
}

/**
 * The details page of a value, as [page, things], or null if there is none. An interface requires its exporter.
 *
 * @param others key by dimension of the value's group
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
