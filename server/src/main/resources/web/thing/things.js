/** What each kind of thing asks about itself. Pure functions. */

import { literal, quoted } from "../dimensions.js";
import { called } from "./names.js";

/** Marks lists of which the ports are those of services. */
export const SERVICES = "services";

/** Two-sided things: the column of the source, that of the destination, and the condition on one of them. */
function sides(source, target, condition) {
  return {
    out: { name: "sent", filter: condition(source), by: [target] },
    into: { name: "received", filter: condition(target), by: [source] },
    lists: [
      ["Sends to", condition(source), [target]],
      ["Receives from", condition(target), [source]],
      ["Services it uses", condition(source), ["proto", "dst_port"], SERVICES],
      ["Services it offers", condition(target), ["proto", "dst_port"], SERVICES],
      ["Interfaces it comes in by", condition(source), ["exporter", "in_if"]],
      ["Interfaces it leaves by", condition(target), ["exporter", "out_if"]],
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

/** By the page's name: what it is called, what a thing asks. */
export const KINDS = {
  address: {
    title: "Address",
    of: ([text]) => {
      const made = address((column) => `${column} = ${literal(text)}`);
      return { ...made, lists: [...made.lists, ["Its name", `src_addr = ${literal(text)}`, ["src_dns"]]] };
    },
  },
  prefix: {
    title: "Prefix",
    of: ([text]) => {
      const made = address((column) => `${column} IN ${text}`);
      return { ...made, lists: [...made.lists, ["Its addresses that send", `src_addr IN ${text}`, ["src_addr"]], ["Its addresses that receive", `dst_addr IN ${text}`, ["dst_addr"]]] };
    },
  },
  as: {
    title: "AS",
    of: ([text]) => {
      const made = sides("src_as", "dst_as", (column) => `${column} = ${literal(text)}`);
      return { ...made, lists: [...made.lists, ["Its addresses that send", `src_as = ${literal(text)}`, ["src_addr"]], ["Its addresses that receive", `dst_as = ${literal(text)}`, ["dst_addr"]]] };
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
          ["Its MAC addresses", `src_member = ${quoted(text)}`, ["exporter", "src_vlan", "src_mac"]],
        ],
      };
    },
  },
  domain: {
    title: "Domain",
    of: ([text]) => {
      const made = sides("src_domain", "dst_domain", (column) => `${column} = ${literal(text)}`);
      return { ...made, lists: [...made.lists, ["Its names that send", `src_domain = ${literal(text)}`, ["src_dns"]], ["Its addresses that receive", `dst_domain = ${literal(text)}`, ["dst_addr"]]] };
    },
  },
  port: {
    title: "Port",
    of: ([text]) => ({
      out: { name: "from it", filter: `src_port = ${literal(text)}`, by: ["src_addr"] },
      into: { name: "to it", filter: `dst_port = ${literal(text)}`, by: ["dst_addr"] },
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
        out: { name: "seen by it", filter, by: ["out_if"] },
        into: null,
        names: () => called(text),
        lists: [
          ["Interfaces in", filter, ["exporter", "in_if"]],
          ["Interfaces out", filter, ["exporter", "out_if"]],
          ["From AS", filter, ["src_as"]],
          ["To AS", filter, ["dst_as"]],
          ["Destination ports", filter, ["proto", "dst_port"]],
          ["Addresses", filter, ["src_addr", "dst_addr"]],
          ["Sampling: sampler, one packet in so many", filter, ["exporter", "sampler", "sampling_rate"]],
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
          ["In from AS", on("in_if"), ["src_as"]],
          ["Out to AS", on("out_if"), ["dst_as"]],
          ["In from addresses", on("in_if"), ["src_addr"]],
          ["Out to addresses", on("out_if"), ["dst_addr"]],
          ["Destination ports in", on("in_if"), ["proto", "dst_port"]],
          ["Destination ports out", on("out_if"), ["proto", "dst_port"]],
        ],
        counters: { exporter, number },
        names: () => called(exporter, number),
      };
    },
  },
};

/** The page of what somebody typed: an address, a network, AS64500, a port, a domain. */
export function find(text) {
  const typed = text.trim();
  if (/^as\s*\d+$/i.test(typed)) return ["as", [typed.replace(/^as\s*/i, "")]];
  if (/^\d{1,5}$/.test(typed)) return ["port", [typed]];
  if (/^[\d.]+\/\d+$/.test(typed) || /^[0-9a-f:.]+\/\d+$/i.test(typed)) return ["prefix", [typed]];
  if (/^\d+\.\d+\.\d+\.\d+$/.test(typed) || (/^[0-9a-f:.]+$/i.test(typed) && typed.includes(":"))) return ["address", [typed]];
  return ["domain", [typed.toLowerCase()]];
}
