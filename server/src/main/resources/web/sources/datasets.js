/** What flows are joined with. */

import { element, table } from "../element.js";
import { percent, short, whole } from "../format.js";
import * as time from "../time.js";

const HEADINGS = ["Data set", "Files", "Version", "Holds from", "Records", "In memory", "Hit rate"];

export function datasets(rows) {
  if (rows.length === 0) return [element("p", {}, "None is declared: addresses have no names, and no AS but the exporters' own.")];
  const problems = rows.filter(({ problem }) => problem != null).map(({ name, problem }) => element("p", { class: "advice" }, `${name}: ${problem}. What was there before holds on.`));
  const cells = rows.map((each) => [
    each.name,
    each.files.join(", "),
    element("td", {}, element("code", {}, each.version)),
    each.holds_from == null ? "–" : time.moment(Date.parse(each.holds_from)),
    whole(each.records),
    short(each.heap_bytes, "B"),
    each.lookups > 0 ? percent(each.hits, each.lookups) : "–",
  ]);
  return [...problems, table(null, HEADINGS, cells, new Set([4, 5, 6]))];
}
