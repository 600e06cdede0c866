/** Setup help before the first row: listen addresses, device configuration, the doctor's findings. */

import * as api from "../api.js";
import { element } from "../element.js";

/** Fills the container while no row is stored. */
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
      element("p", {}, "Millrace listens for sFlow, NetFlow and IPFIX over UDP; every address accepts all protocols:"),
      element("ul", { class: "ports" }, ...ports),
      element("p", {}, "Configure a switch or router to export to it, for example:"),
      element("pre", {}, recipe(host, status.listening)),
      element("p", {}, "See docs/devices.md for common vendors. Without a device:"),
      element("pre", {}, `./millrace generate flows flows.pcap\n./millrace send flows.pcap --to ${to(status.listening)}`),
      element("p", {}, "Findings:"),
      element("pre", {}, doctor),
    ),
  );
}

/** The address for a sender on the same machine. */
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
