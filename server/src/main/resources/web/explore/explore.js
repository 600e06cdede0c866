/** Explore: any traffic over any time, by up to three dimensions, as a chart and a table. The URL holds the view. */

import { isWithin, marksOf } from "../alerts/marks.js";
import * as api from "../api.js";
import { Plot } from "../chart/plot.js";
import { matrix } from "../chart/matrix.js";
import { sankey } from "../chart/sankey.js";
import { colors } from "../chart/colors.js";
import * as dimensions from "../dimensions.js";
import { element, select } from "../element.js";
import { filterField } from "../filter/filter.js";
import { duration, estimated, percent, stepText } from "../format.js";
import { go, link } from "../route.js";
import * as schema from "../schema.js";
import * as time from "../time.js";
import { groups, refill } from "../values/groups.js";
import * as menu from "../values/menu.js";
import { awaited } from "../values/progress.js";
import { entries } from "../values/value.js";
import { windowParts } from "../values/window.js";
import { seriesParameters, between, MEASURES, query, STEPS, totals, view as viewOf } from "../view.js";
import { exports } from "./exports.js";

export const title = "Explore";

const POINTS = 240;
const MANY_GROUPS = 50;
const FEW_POINTS = 30;
const MAX_GAPS = 3; // gaps listed individually
const CHARTS = { area: "Stacked area", lines: "Lines", bars: "Bars", sankey: "Sankey", matrix: "Matrix", heat: "Heat map", table: "Table only" };

/** Opens the page, which navigation updates and a timer refreshes. */
export function open(place) {
  let view = null;
  let response = null;
  let turn = 0;
  const show = (next) => go(link("explore", [], query(next)));
  const note = element("p", { class: "source", role: "status" });
  const figure = element("div", { class: "plot", role: "group", "aria-label": "Chart: + and − zoom in time, arrows move it" });
  const heading = element("p", { class: "range" }, "loading…");
  const tableOf = element("div");
  const problem = element("p", { class: "problem", role: "alert", hidden: "" });
  const filter = filterField((text) => show({ ...view, filter: text }));
  const window = windowParts(current, show);
  const form = element("form", { class: "controls" });
  const plot = new Plot(figure, {
    onZoom: (from, to) => show(between(view, from, to)),
    onPick: (group, from, to, at) => menu.open(at, picked(group, from, to), actions(group, from, to)),
  });
  const marks = marksOf(plot, (alert) => isWithin(alert, view.filter));
  const flow = element("div", { class: "wide" });
  const result = element("section", { "aria-label": "Answer" }, problem, heading, figure, flow, note, tableOf);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    if (event.target.matches("[name^=by], [name=measure], [name=chart], [name=n], [name=step], [name=previous]")) show(read());
  });
  place.append(
    element("h2", { class: "hidden" }, title),
    element("section", { "aria-label": "ApiEndpoint" }, form),
    result,
  );

  function current() {
    const from = response ? response.times[0] : Date.now() - 3_600_000;
    return { view, fromMs: response ? Date.parse(response.from) || from : from, toMs: response ? Date.parse(response.to) : Date.now() };
  }

  function read() {
    const data = new FormData(form);
    const by = ["by1", "by2", "by3"].map((name) => data.get(name)).filter(Boolean);
    return {
      ...view,
      by: [...new Set(by)],
      measure: data.get("measure"),
      chart: data.get("chart"),
      n: Number(data.get("n")),
      step: data.get("step"),
      previous: data.get("previous") === "on",
    };
  }

  function picked(group, from, to) {
    return group ? `${group.label.join(" → ")}, ${time.range(from, to)}` : time.range(from, to);
  }

  function actions(group, from, to) {
    const minute = { text: `Zoom to ${time.range(from, to)}`, href: link("explore", [], query(between(view, from, to))) };
    if (!group) return [minute];
    const others = Object.fromEntries(view.by.map((name, i) => [name, group.key[i]]));
    const many = view.by.length > 1;
    return view.by.flatMap((name, i) =>
      entries(name, group.key[i], others, view)
        .slice(0, many ? 3 : undefined)
        .map((entry) => (many ? { ...entry, text: `${entry.text}: ${group.label[i]}` } : entry)),
    ).concat(minute);
  }

  async function choices() {
    const columns = await schema.columns().catch(() => view.by);
    const list = dimensions.choices(columns).map((name) => [name, dimensions.title(name)]);
    const missing = view.by.filter((name) => !columns.includes(name)).map((name) => [name, name]);
    return [...list, ...missing];
  }

  async function controls() {
    const focused = document.activeElement?.name;
    const list = await choices();
    const by = (i) => select(`by${i + 1}`, i === 0 ? "By" : "and", i === 0 ? list : [["", "–"], ...list], view.by[i] ?? "");
    const previous = element("input", { type: "checkbox", name: "previous", ...(view.previous ? { checked: "" } : {}) });
    form.replaceChildren(
      by(0),
      by(1),
      ...(view.by.length > 1 ? [by(2)] : []),
      select("measure", "in", Object.entries(MEASURES), view.measure),
      select("chart", "as", Object.entries(CHARTS), view.chart),
      select("n", "largest", ["5", "12", "25", "50", "100", "500"].map((n) => [n, n]), String(view.n)),
      select("step", "step", Object.entries(STEPS), view.step),
      element("label", {}, previous, " previous period"),
      ...window.parts,
      element("span", { class: "filter-line" }, ...filter.parts),
      exports({ view: () => view, result: () => response, place: () => (flow.hidden ? figure : flow) }),
    );
    window.show(view);
    filter.show(view.filter);
    if (focused && !form.contains(document.activeElement)) form.elements[focused]?.focus();
  }

  async function refresh() {
    const mine = ++turn;
    const wanted = view;
    let got;
    try {
      got = await awaited(result, api.series(seriesParameters(wanted, wanted.n > MANY_GROUPS ? FEW_POINTS : POINTS)));
    } catch (failure) {
      if (mine !== turn) return;
      filter.reject(failure.position != null ? failure : null);
      problem.hidden = failure.position != null;
      problem.textContent = failure.message;
      return;
    }
    if (mine !== turn) return; // a later request supersedes this one
    response = got;
    filter.reject(null);
    problem.hidden = true;
    heading.textContent = `${totals(response, view, " · ")}${time.range(Date.parse(response.from), Date.parse(response.to))} · ${time.zone()}`;
    note.textContent = sourceText(response);
    draw();
  }

  function draw() {
    const unit = MEASURES[view.measure];
    const isSankey = view.chart === "sankey" && view.by.length > 1;
    const isMatrix = view.chart === "matrix" && view.by.length === 2;
    const isPlot = !isSankey && !isMatrix && view.chart !== "table";
    figure.hidden = !isPlot;
    flow.hidden = !isSankey && !isMatrix;
    if (isSankey || isMatrix) {
      const pick = (i, key, label, at) => menu.open(at, `${dimensions.title(view.by[i])}: ${label}`, entries(view.by[i], key, {}, view));
      (isSankey ? sankey : matrix)(flow, response, view.by.map(dimensions.title), unit, pick);
    } else if (isPlot && response.times.length > 0) {
      plot.draw(response, ["sankey", "matrix"].includes(view.chart) ? "area" : view.chart, unit);
      marks(response);
    }
    const paint = !isPlot ? null : colors(response.groups.length);
    const isEmpty = response.groups.length === 0;
    refill(tableOf, isEmpty ? element("p", {}, "No matching traffic in this time range.") : groups("Groups", response, view, paint, true));
    if (view.chart === "matrix" && !isMatrix) note.textContent += " A matrix needs two dimensions.";
    else if (isMatrix && response.others?.total > 0) note.textContent += ` The matrix shows the largest ${response.groups.length} pairs; increase the number of groups for more.`;
    if (view.chart === "sankey" && !isSankey) note.textContent += " A Sankey diagram needs a second dimension.";
  }

  return {
    async update(query) {
      view = viewOf(query);
      await controls();
      await refresh();
    },
    refresh: () => (view.last != null && response ? refresh() : undefined),
    pauseMs: 5_000,
    close: () => plot.close(),
  };
}

/** Time ranges without any row, which averages and percentiles count as 0. */
function gapsText(gaps) {
  const long = gaps.reduce((sum, [from, to]) => sum + to - from, 0);
  const named = gaps.slice(0, MAX_GAPS).map(([from, to]) => time.range(from, to));
  return `no rows in ${duration(long)}, counted as 0 in averages and percentiles: ${named.join(", ")}${gaps.length > MAX_GAPS ? ` and ${gaps.length - MAX_GAPS} more` : ""}`;
}

/** Source and accuracy of the response. */
export function sourceText({ source, bound, fresh_to: fresh, step_seconds: step, total, gaps = [], took_ms: took }) {
  const parts = [`Points of ${stepText(step)} of event time`, `from ${source}`, `as of ${time.clock(Date.parse(fresh))}`];
  if (gaps.length > 0) parts.push(gapsText(gaps));
  if (bound > 0) parts.push(`a group may lack up to ${percent(bound, total.total)} of the total`);
  if (total.error > 0) parts.push(estimated(total));
  if (took != null) parts.push(`query took ${duration(took)}`);
  return `${parts.join("; ")}.`;
}
