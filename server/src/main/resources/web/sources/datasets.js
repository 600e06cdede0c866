/** What flows are joined with. */

import * as dimensions from "../dimensions.js";
import { button, element, table } from "../element.js";
import { percent, short, whole } from "../format.js";
import { link } from "../route.js";
import * as time from "../time.js";
import * as menu from "../values/menu.js";
import { query, view } from "../view.js";

const HEADINGS = ["Data set", "Files", "Gives", "Version", "Holds from", "Entries", "In memory", "Hit rate"];

export function datasets(rows) {
  if (rows.length === 0) return [element("p", {}, "None is declared: addresses have no names, and no AS but the exporters' own.")];
  const problems = rows.filter(({ problem }) => problem != null).map(({ name, problem }) => element("p", { class: "advice" }, `${name}: ${problem}. What was there before holds on.`));
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

/** A column that a set gives to flows. */
function gives(column) {
  const explored = (filter) => link("explore", [], query({ ...view(new URLSearchParams()), by: [column], filter }));
  const made = button(column, () =>
    menu.open(made, dimensions.title(column), [
      { text: "Traffic by it", href: explored("") },
      { text: "Traffic that it says nothing of", href: explored(dimensions.clause(column, null)) },
    ]),
  );
  made.className = "value";
  return made;
}
