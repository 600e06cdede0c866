/** Keys of pipelines, of one or more columns, with clickable parts. */

import { element } from "../element.js";
import { named } from "../names.js";
import { value } from "./value.js";

/** Columns by kind of key. */
const NAMED = {
  source: "src_addr",
  destination: "dst_addr",
  pair: "src_addr+dst_addr",
  "5-tuple": "src_addr+dst_addr+proto+src_port+dst_port",
  "source-prefix": "src_addr/24",
  "destination-prefix": "dst_addr/24",
  "source-as": "src_as",
  "destination-as": "dst_as",
  "as-pair": "src_as+dst_as",
  "source-domain": "src_domain",
  "destination-domain": "dst_domain",
  port: "proto+dst_port",
  protocol: "proto",
  interface: "exporter+in_if",
  "source-networks": "src_addr/*",
  "destination-networks": "dst_addr/*",
};

/** The kind of keys from records of senders; they are not in columns of flows. */
const KEYWORD = "keyword";

/** The parts of a key: [column, value] each; none if it cannot be split. */
export function parts(kind, key) {
  const columns = (NAMED[kind] ?? kind).split("+").map((part) => part.replace(/\/\d+$|\/\*$/, ""));
  const values = columns.length === 1 ? [key] : key.split(" ");
  return values.length === columns.length ? columns.map((column, i) => [column, values[i]]) : [];
}

/** A cell with the parts of a key, separated by blanks. */
export function keyCell(kind, key, view) {
  const found = kind === KEYWORD ? [] : parts(kind, key);
  if (found.length === 0) return element("td", {}, key);
  const others = Object.fromEntries(found);
  return element("td", {}, ...found.flatMap(([column, part], i) => [i === 0 ? "" : " ", value(column, part, named(column, part, part, others.proto), others, view)]));
}
