/** What to do where nothing has come yet: which ports listen, what a device is told, what the doctor says. */

import * as api from "../api.js";
import { element } from "../element.js";

/** Fills the place while no row is stored, and empties it from the first one on. */
export async function empty(place, status) {
  if (status.rows > 0 || status.samples_in > 0) {
    place.replaceChildren();
    return;
  }
  if (place.childElementCount > 0) return;
  const { doctor } = await api.ledger();
  const host = location.hostname;
  const ports = status.listening.map((address) => element("li", {}, element("code", {}, address)));
  place.replaceChildren(
    element(
      "section",
      { "aria-labelledby": "empty-title" },
      element("h2", { id: "empty-title" }, "No traffic yet"),
      element("p", {}, "Millrace listens for sFlow, NetFlow and IPFIX over UDP; any protocol may come to any of these:"),
      element("ul", { class: "ports" }, ...ports),
      element("p", {}, "Tell a switch or router to send there. In words that most devices understand:"),
      element("pre", {}, recipe(host, status.listening)),
      element("p", {}, "docs/devices.md has recipes for the usual vendors. Without a device:"),
      element("pre", {}, `./millrace generate flows flows.pcap\n./millrace send flows.pcap --to ${to(status.listening)}`),
      element("p", {}, "The doctor says:"),
      element("pre", {}, doctor),
    ),
  );
}

/** Where a sender on the same machine sends. */
function to(listening) {
  return `127.0.0.1:${portOf(listening)}`;
}

function portOf(listening) {
  return /:(\d+)$/.exec(listening[0] ?? "")?.[1] ?? "6343";
}

function recipe(host, listening) {
  const port = portOf(listening);
  return `sflow collector ${host} port ${port}\nsflow sampling-rate 1024\nsflow polling-interval 20`;
}
