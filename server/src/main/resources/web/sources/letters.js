/** Dead letters: sender, faults and bytes. */

import { element } from "../element.js";
import { whole } from "../format.js";
import { moment } from "../time.js";
import { value } from "../values/value.js";
import { view } from "../view.js";
import { lines } from "./hex.js";

export function letter(each) {
  const faults = each.faults.map(({ reason, offset }) => `${reason} at byte ${whole(offset)}`);
  const from = each.sender == null ? "not a datagram" : `${each.sender}, port ${each.port}`;
  const why = faults.length > 0 ? faults.join("; ") : "not a record of its pipeline";
  return element(
    "details",
    { class: "letter" },
    element("summary", {}, `${moment(Date.parse(each.time))} · ${from} · ${each.protocol ?? "record"} · ${why}`),
    each.sender == null ? null : element("p", {}, "From ", value("exporter", each.sender, each.sender, {}, view(new URLSearchParams()))),
    dump(each),
  );
}

/** The bytes, with faults highlighted. */
function dump({ time, hex, length, faults }) {
  const wrong = new Set(faults.map(({ offset }) => offset));
  const shown = lines(hex).flatMap(({ offset, bytes, text }) => [
    `${offset.toString(16).padStart(4, "0")}  `,
    ...bytes.flatMap((byte, i) => [wrong.has(offset + i) ? element("mark", {}, byte) : byte, " "]),
    `${"   ".repeat(16 - bytes.length)} ${text.join("")}\n`,
  ]);
  const more = length - hex.length / 2;
  return element("pre", { class: "hex", tabindex: "0", role: "region", "aria-label": `Bytes of ${time}` }, ...shown, more > 0 ? `${whole(more)} more bytes` : null);
}
