/** Queries of each kind of thing. Pure functions. */

import { literal, quoted } from "../dimensions.js";
import { called } from "./names.js";

/** Marks lists of service ports. */
export const SERVICES = "services";

/** Two-sided things: source column, destination column, and the condition on one of them. */
function sides(source, target, condition) {
  return {
    out: { name: "sent", filter: condition(source), by: [target] },
    into: { name: "received", filter: condition(target), by: [source] },
    lists: [
      ["Sends to", condition(source), [target]],
      ["Receives from", condition(target), [source]],
      ["Services used", condition(source), ["proto", "dst_port"], SERVICES],
      ["Services offered", condition(target), ["proto", "dst_port"], SERVICES],
      ["Ingress interfaces", condition(source), ["exporter", "in_if"]],
      ["Egress interfaces", condition(target), ["exporter", "out_if"]],
    ],
  };
}

function address(condition) {
  const both = sides("src_addr", "dst_addr", condition);
  const more = [
    ["Sends to AS", condition("src_addr"), ["dst_as"]],
    ["Receives from AS", condition("dst_addr"), ["src_as"]],
  ];
  return { ...both, lists: [...both.lists, ...more] };
}

/** By the page's name: title and queries. */
export const KINDS = {
  address: {
    title: "Address",
    of: ([text]) => {
      const made = address((column) => `${column} = ${literal(text)}`);
      return { ...made, lists: [...made.lists, ["Name", `src_addr = ${literal(text)}`, ["src_dns"]]] };
    },
  },
  prefix: {
    title: "Prefix",
    of: ([text]) => {
      const made = address((column) => `${column} IN ${text}`);
      return { ...made, lists: [...made.lists, ["Sending addresses", `src_addr IN ${text}`, ["src_addr"]], ["Receiving addresses", `dst_addr IN ${text}`, ["dst_addr"]]] };
    },
  },
  as: {
    title: "AS",
    of: ([text]) => {
      const made = sides("src_as", "dst_as", (column) => `${column} = ${literal(text)}`);
      return { ...made, lists: [...made.lists, ["Sending addresses", `src_as = ${literal(text)}`, ["src_addr"]], ["Receiving addresses", `dst_as = ${literal(text)}`, ["dst_addr"]]] };
    },
  },
  member: {
    title: "Member",
    of: ([text]) => {
      const made = sides("src_member", "dst_member", (column) => `${column} = ${quoted(text)}`);
      return {
        ...made,
        lists: [
          ...made.lists,
          ["Sends to AS", `src_member = ${quoted(text)}`, ["dst_as"]],
          ["Receives from AS", `dst_member = ${quoted(text)}`, ["src_as"]],
          ["MAC addresses", `src_member = ${quoted(text)}`, ["exporter", "src_vlan", "src_mac"]],
        ],
      };
    },
  },
  domain: {
    title: "Domain",
    of: ([text]) => {
      const made = sides("src_domain", "dst_domain", (column) => `${column} = ${literal(text)}`);
      return { ...made, lists: [...made.lists, ["Sending names", `src_domain = ${literal(text)}`, ["src_dns"]], ["Receiving addresses", `dst_domain = ${literal(text)}`, ["dst_addr"]]] };
    },
  },
  port: {
    title: "Port",
    of: ([text]) => ({
      out: { name: "from port", filter: `src_port = ${literal(text)}`, by: ["src_addr"] },
      into: { name: "to port", filter: `dst_port = ${literal(text)}`, by: ["dst_addr"] },
      lists: [
        ["Servers", `dst_port = ${literal(text)}`, ["dst_addr"]],
        ["Clients", `dst_port = ${literal(text)}`, ["src_addr"]],
        ["To AS", `dst_port = ${literal(text)}`, ["dst_as"]],
        ["From AS", `dst_port = ${literal(text)}`, ["src_as"]],
        ["Protocols", `dst_port = ${literal(text)}`, ["proto"]],
        ["Interfaces", `dst_port = ${literal(text)}`, ["exporter", "in_if"]],
      ],
    }),
  },
  exporter: {
    title: "Exporter",
    of: ([text]) => {
      const filter = `exporter = ${literal(text)}`;
      return {
        out: { name: "seen", filter, by: ["out_if"] },
        into: null,
        names: () => called(text),
        lists: [
          ["Ingress interfaces", filter, ["exporter", "in_if"]],
          ["Egress interfaces", filter, ["exporter", "out_if"]],
          ["From AS", filter, ["src_as"]],
          ["To AS", filter, ["dst_as"]],
          ["Destination ports", filter, ["proto", "dst_port"]],
          ["Addresses", filter, ["src_addr", "dst_addr"]],
          ["Sampling: sampler, 1 in N", filter, ["exporter", "sampler", "sampling_rate"]],
        ],
      };
    },
  },
  interface: {
    title: "Interface",
    of: ([exporter, number]) => {
      const on = (column) => `exporter = ${literal(exporter)} AND ${column} = ${literal(number)}`;
      return {
        out: { name: "out", filter: on("out_if"), by: ["dst_as"] },
        into: { name: "in", filter: on("in_if"), by: ["src_as"] },
        lists: [
          ["Ingress from AS", on("in_if"), ["src_as"]],
          ["Egress to AS", on("out_if"), ["dst_as"]],
          ["Ingress from addresses", on("in_if"), ["src_addr"]],
          ["Egress to addresses", on("out_if"), ["dst_addr"]],
          ["Ingress destination ports", on("in_if"), ["proto", "dst_port"]],
          ["Egress destination ports", on("out_if"), ["proto", "dst_port"]],
        ],
        counters: { exporter, number },
        names: () => called(exporter, number),
      };
    },
  },
};

/** The page for a typed text: an address, a network, AS64500, a port, a domain. */
export function find(text) {
  const typed = text.trim();
  if (/^as\s*\d+$/i.test(typed)) return ["as", [typed.replace(/^as\s*/i, "")]];
  if (/^\d{1,5}$/.test(typed)) return ["port", [typed]];
  if (/^[\d.]+\/\d+$/.test(typed) || /^[0-9a-f:.]+\/\d+$/i.test(typed)) return ["prefix", [typed]];
  if (/^\d+\.\d+\.\d+\.\d+$/.test(typed) || (/^[0-9a-f:.]+$/i.test(typed) && typed.includes(":"))) return ["address", [typed]];
  return ["domain", [typed.toLowerCase()]];
}
