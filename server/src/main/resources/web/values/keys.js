/** Keys that are made of columns of flows, as pipelines name them: each part can be clicked. */

import { element } from "../element.js";
import { named } from "../names.js";
import { value } from "./value.js";

/** Names of kinds of keys, and what they stand for. */
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
};

/** A cell with the parts of a key, which stand with blanks between them. */
export function keyCell(kind, key, view) {
  const columns = (NAMED[kind] ?? kind).split("+").map((part) => part.replace(/\/\d+$/, ""));
  const parts = key.split(" ");
  if (parts.length !== columns.length) return element("td", {}, key);
  const others = Object.fromEntries(columns.map((column, i) => [column, parts[i]]));
  return element("td", {}, ...parts.flatMap((part, i) => [i === 0 ? "" : " ", value(columns[i], part, named(columns[i], part, part, others.proto), others, view)]));
}
