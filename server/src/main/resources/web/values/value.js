/** A value that can be clicked: only this, without this, its page. */

import * as dimensions from "../dimensions.js";
import { element } from "../element.js";
import { link } from "../route.js";
import { context, query } from "../view.js";
import * as menu from "./menu.js";

const LONG = 48; // characters; an IPv6 network has 43 at most

/**
 * A button with the text of a value.
 *
 * @param others key by dimension of the group that it stands in
 * @param view what is looked at, which the links go on from
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
    { text: "Only this", href: explored(dimensions.clause(dimension, key)) },
    { text: "Without this", href: explored(dimensions.otherwise(dimension, key)) },
    ...(page ? [{ text: "Open its page", href: link(...page, context(view)) }] : []),
    ...breakdowns(dimension, key, view),
  ];
}

/** What of it is where: the steps from a value to the address, the port and the interface behind it. */
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
