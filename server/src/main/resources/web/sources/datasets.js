/** Data sets that flows are joined with. */

import * as dimensions from "../dimensions.js";
import { button, element, table } from "../element.js";
import { percent, short, whole } from "../format.js";
import { link } from "../route.js";
import * as time from "../time.js";
import * as menu from "../values/menu.js";
import { query, view } from "../view.js";

const HEADINGS = ["Data set", "Files", "Columns", "Version", "Valid from", "Entries", "In memory", "Hit rate"];

export function datasets(rows) {
  if (rows.length === 0) return [element("p", {}, "None configured: addresses have no names, and AS numbers come from exporters only.")];
  const problems = rows.filter(({ problem }) => problem != null).map(({ name, problem }) => element("p", { class: "advice" }, `${name}: ${problem}. The previous version stays in use.`));
  const cells = rows.map((each) => [
    each.name,
    each.files.join(", "),
    element("td", {}, ...each.columns.flatMap((column, i) => [i === 0 ? "" : ", ", gives(column)])),
    element("td", {}, element("code", {}, each.version)),
    each.holds_from == null ? "–" : time.moment(Date.parse(each.holds_from)),
    whole(each.entries),
    short(each.heap_bytes, "B"),
    each.lookups > 0 ? percent(each.hits, each.lookups) : "–",
  ]);
  return [...problems, table(null, HEADINGS, cells, new Set([5, 6, 7]))];
}

/** A column added to flows. */
function gives(column) {
  const explored = (filter) => link("explore", [], query({ ...view(new URLSearchParams()), by: [column], filter }));
  const made = button(column, () =>
    menu.open(made, dimensions.title(column), [
      { text: "Traffic by this column", href: explored("") },
      { text: "Traffic without a value", href: explored(dimensions.clause(column, null)) },
    ]),
  );
  made.className = "value";
  return made;
}
