/** A clickable value: filter for it, exclude it, open its details. */

import * as dimensions from "../dimensions.js";
import { element } from "../element.js";
import { link } from "../route.js";
import { context, query } from "../view.js";
import * as menu from "./menu.js";

const LONG = 48; // characters; an IPv6 network has at most 43

/**
 * A button with a value.
 *
 * @param others key by dimension of its group
 * @param view base of the links
 */
export function value(dimension, key, text, others, view) {
  const made = element("button", { type: "button", class: `value${key == null ? " null" : ""}${text.length > LONG ? " long" : ""}` }, text);
  made.addEventListener("click", () =>
    menu.open(made, `${dimensions.title(dimension)}: ${text}`, entries(dimension, key, others, view)),
  );
  return made;
}

/** The links of a value. */
export function entries(dimension, key, others, view) {
  const filtered = (condition) => ({ ...view, filter: dimensions.both(view.filter, condition) });
  const explored = (condition) => link("explore", [], query(filtered(condition)));
  const page = dimensions.page(dimension, key, others);
  return [
    { text: "Filter for value", href: explored(dimensions.clause(dimension, key)) },
    { text: "Exclude value", href: explored(dimensions.otherwise(dimension, key)) },
    ...(page ? [{ text: "Open details", href: link(...page, context(view)) }] : []),
    ...breakdowns(dimension, key, view),
  ];
}

/** Drill-down from a value to its address, port and interface. */
function breakdowns(dimension, key, view) {
  const filter = dimensions.both(view.filter, dimensions.clause(dimension, key));
  return [
    ["By address", ["src_addr"]],
    ["By port", ["dst_port"]],
    ["By interface", ["exporter", "in_if"]],
  ]
    .filter(([, by]) => !by.includes(dimension))
    .map(([text, by]) => ({ text, href: link("explore", [], query({ ...view, by, filter })) }));
}
