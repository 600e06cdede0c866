/** Traffic by direction: in, out, through, inside, by the boundaries of interfaces. */

import * as api from "../api.js";
import { colors } from "../chart/colors.js";
import { Plot } from "../chart/plot.js";
import { CROSSING, directionOf, DIRECTIONS } from "../dimensions.js";
import { element } from "../element.js";
import { certain } from "../estimates.js";
import { go, link } from "../route.js";
import * as time from "../time.js";
import { groups, refill } from "../values/groups.js";
import { awaited } from "../values/progress.js";
import * as menu from "../values/menu.js";
import { entries } from "../values/value.js";
import { seriesParameters, between, MEASURES, query } from "../view.js";

const BY = ["in_if_boundary", "out_if_boundary"];
const MOST = 50; // pairs of boundaries
const POINTS = 180;
const HEIGHT = 200;
const HOW = `store:
  boundaries:
    external: ["transit%", "%peering%"]
    customer: ["cust:%"]
    internal: ["%"]`;

/** The section with its refresh: {section, refresh, close}. */
export function directions(viewNow) {
  const figure = element("div", { class: "plot", role: "group", "aria-label": "Traffic by direction: + and − zoom in time, arrows move it" });
  const list = element("div");
  const none = element(
    "div",
    {},
    element("p", {}, "No interface has a boundary, so directions are unknown. Classify interfaces by name or description in the configuration; the boundary external is outside, any other inside:"),
    element("pre", {}, HOW),
    element("p", { class: "source" }, "See docs/datasets.md, also for declaring single interfaces."),
  );
  const both = element("div", { class: "beside" }, figure, list);
  const section = element("section", { id: "directions", hidden: "" }, element("h3", {}, "By direction"), none, both);
  const view = () => ({ ...viewNow(), by: BY, n: MOST });
  const plot = new Plot(figure, {
    onZoom: (from, to) => go(link("explore", [], query(between(view(), from, to)))),
    onPick: (group, from, to, at) => group && menu.open(at, `${group.label[0]}, ${time.range(from, to)}`, entries(CROSSING, group.key[0], {}, between(view(), from, to))),
  });
  return {
    section,
    async refresh() {
      const wanted = view();
      const result = together(await awaited(section, api.series(seriesParameters(wanted, POINTS))));
      section.hidden = result.groups.length === 0;
      none.hidden = result.groups.some(({ key }) => key[0] !== "unknown");
      both.hidden = !none.hidden;
      if (section.hidden || both.hidden) return;
      plot.draw(result, "lines", MEASURES[wanted.measure], HEIGHT);
      refill(list, groups(null, result, wanted, colors(result.groups.length)));
    },
    close: () => plot.close(),
  };
}

/** Sums boundary pairs by direction; omits those without traffic. */
function together(result) {
  const made = Object.keys(DIRECTIONS).map((key) => {
    const its = result.groups.filter((group) => directionOf(...group.key) === key);
    const sum = (value) => its.reduce((all, group) => all + value(group), 0);
    const values = result.times.map((_, i) => (its.some((group) => group.values[i] == null) ? null : sum((group) => group.values[i])));
    const errors = result.total.errors.map((_, i) => sum((group) => group.errors[i]));
    const line = { values, errors, error: sum((group) => group.error), average: sum((group) => group.average), total: sum((group) => group.total) };
    return { key: [key], label: [key], ...certain(line) };
  });
  return { ...result, columns: [CROSSING], groups: made.filter(({ total }) => total > 0), others: null };
}
