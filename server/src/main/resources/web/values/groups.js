/** Table of the groups of a result: values, sparkline, rates and share. */

import * as dimensions from "../dimensions.js";
import { element, table } from "../element.js";
import { TOO_FEW } from "../estimates.js";
import { percent, short, stepText } from "../format.js";
import { MEASURES } from "../view.js";
import * as menu from "./menu.js";
import { spark } from "./spark.js";
import { value } from "./value.js";

/**
 * @param result of api/v1/series
 * @param view base of the values' links
 * @param colors of the groups in the chart; null without one
 * @param isLong whether to add maximum, 95th percentile and total
 */
export function groups(caption, result, view, colors = null, isLong = false) {
  const unit = MEASURES[view.measure];
  const largest = Math.max(...result.groups.map((group) => group.total), 0);
  const isEstimated = result.total.error > 0;
  const rates = (each) => [average(each, unit), ...(isLong ? [each.maximum, each.p95].map((rate) => figure(short(rate, unit))) : [])];
  const rows = result.groups.map((group, i) => [
    ...cells(group, result.columns, view, colors?.[i]),
    curve(group.values),
    ...rates(group),
    share(group, result.total, largest),
  ]);
  if (isLong && result.others?.total > 0) {
    rows.push([rest(result.columns.length, colors?.at(-1)), curve(result.others.values), ...rates(result.others), share(result.others, result.total, 0)]);
  }
  const width = result.columns.length;
  const step = averages(result);
  const headings = [...result.columns.map(dimensions.title), element("th", { scope: "col", class: "curve" }, "Over time"), isEstimated ? "Average (estimate)" : "Average", ...(isLong ? [`Maximum of ${step}`, `95th percentile of ${step}`] : []), "Share"];
  const numeric = new Set(headings.keys());
  for (let i = 0; i <= width; i++) numeric.delete(i);
  numeric.delete(headings.length - 1);
  return element("div", { class: "wide" }, table(caption, headings, rows, numeric));
}

function cells(group, columns, view, color) {
  const others = Object.fromEntries(columns.map((dimension, i) => [dimension, group.key[i]]));
  return columns.map((dimension, i) => {
    const made = element("td", {}, value(dimension, group.key[i], group.label[i] ?? "unknown", others, view));
    if (i === 0 && color) {
      made.className = "marked";
      made.prepend(swatch(color));
    }
    return made;
  });
}

function rest(width, color) {
  const made = element("td", { class: "null", colspan: String(width) }, "all others");
  if (color) made.prepend(swatch(color));
  return made;
}

/**
 * The table for exports: {headings, rows}, each cell a text or a number, in the units of the headings. A pure function.
 *
 * @param view of the result
 */
export function figures(result, view) {
  const unit = MEASURES[view.measure];
  const step = averages(result);
  const isEstimated = result.total.error > 0;
  const headings = [
    ...result.columns.map(dimensions.title),
    `${isEstimated ? "Average (estimate)" : "Average"}, ${unit}`,
    ...(isEstimated ? ["Half-width (95%), % of the average"] : []),
    `Maximum of ${step}, ${unit}`,
    `95th percentile of ${step}, ${unit}`,
    "Share, %",
  ];
  const part = (value, all) => (value == null || !(all > 0) ? null : Number(((100 * value) / all).toFixed(2)));
  const row = (names, line) => [
    ...names,
    line.isVague ? TOO_FEW : line.average,
    ...(isEstimated ? [line.isVague ? null : part(line.error, line.total)] : []),
    line.maximum,
    line.p95,
    line.isVague || result.total.isVague ? null : part(line.total, result.total.total),
  ];
  const rows = result.groups.map((group) => row(group.label, group));
  if (result.others?.total > 0) rows.push(row(result.columns.map((_, i) => (i === 0 ? "all others" : null)), result.others));
  return { headings, rows };
}

function averages(result) {
  return `${stepText(result.step_seconds)} averages`;
}

/** The cell of a value, with its confidence interval if estimated. */
function average(line, unit) {
  if (line.isVague) return element("td", { class: "null" }, TOO_FEW);
  return figure(short(line.average, unit) + (line.error > 0 ? ` ± ${percent(line.error, line.total)}` : ""));
}

function figure(text) {
  return element("td", { class: "number" }, text);
}

function curve(values) {
  return element("td", { class: "curve" }, spark(values));
}

export function swatch(color) {
  const made = element("span", { class: "swatch", "aria-hidden": "true" });
  made.style.background = color;
  return made;
}

/** A bar relative to the largest group, because shares of the total are mostly small. */
function share(group, all, largest) {
  const part = group.isVague || all.isVague ? null : group.total;
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.width = `${largest > 0 ? ((100 * part) / largest).toFixed(1) : 0}%`;
  return element("td", { class: "share" }, element("span", { class: "percent" }, percent(part, all.total)), element("span", { class: "length" }, bar));
}

/** Replaces groups, keeping the focus; does nothing while a value's menu is open. */
export function refill(place, ...children) {
  if (menu.isOpen()) return;
  const held = [...place.querySelectorAll("button")].indexOf(document.activeElement);
  place.replaceChildren(...children);
  if (held >= 0) {
    const now = place.querySelectorAll("button");
    now[Math.min(held, now.length - 1)]?.focus({ preventScroll: true });
  }
}
