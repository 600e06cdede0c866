/** The view: window, measure, dimensions, filter. Parsed from a URL, sent to the API. Pure functions. */

import { TOO_FEW } from "./estimates.js";
import { short } from "./format.js";

export const MEASURES = { bits: "bit/s", packets: "packet/s", flows: "flow/s", share: "%" };

/** Measures on details pages, which have no shares. */
export const RATES = Object.fromEntries(Object.entries(MEASURES).filter(([name]) => name !== "share"));

/** The total traffic of a result as text, followed by `suffix`; empty for shares. */
export function totals({ total }, { measure }, suffix) {
  const unit = MEASURES[measure];
  if (total.isVague) return `${TOO_FEW}${suffix}`;
  return measure === "share" ? "" : `${short(total.average, unit)} on average, ${short(total.maximum, unit)} at most${suffix}`;
}

/** Windows up to now, by the API's names. */
export const WINDOWS = {
  "5m": "5 minutes",
  "15m": "15 minutes",
  "1h": "hour",
  "6h": "6 hours",
  "1d": "day",
  "7d": "week",
  "30d": "30 days",
  "365d": "year",
};

/** Lengths of a step, by the API's names. */
export const STEPS = {
  "": "auto",
  "1s": "1 s",
  "10s": "10 s",
  "30s": "30 s",
  "1m": "1 min",
  "5m": "5 min",
  "15m": "15 min",
  "1h": "1 h",
  "6h": "6 h",
  "1d": "1 day",
};

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 };

/** The view of a URL, with defaults for missing values. */
export function view(query, defaults = {}) {
  const said = (name, fallback) => query.get(name) ?? defaults[name] ?? fallback;
  const from = query.get("from");
  const to = query.get("to");
  const isFixed = from != null && to != null;
  return {
    by: said("by", "src_as").split(",").filter((name) => name !== "").slice(0, 3),
    measure: said("measure", "bits") in MEASURES ? said("measure", "bits") : "bits",
    last: isFixed ? null : said("last", "1h"),
    from: isFixed ? from : null,
    to: isFixed ? to : null,
    filter: said("filter", "").trim(),
    n: Math.min(500, Math.max(1, Number(said("n", 12)) || 12)),
    chart: said("chart", "area"),
    previous: said("previous", "") === "true",
    step: said("step", "") in STEPS ? said("step", "") : "",
  };
}

/** The view's parameters in a URL: those that differ from the defaults. */
export function query({ by, measure, last, from, to, filter, n, chart, previous, step }) {
  return {
    by: by?.join(","),
    measure: measure === "bits" ? null : measure,
    last,
    from,
    to,
    filter,
    n: n === 12 ? null : n,
    chart: chart === "area" ? null : chart,
    previous: previous ? "true" : null,
    step,
  };
}

/** The parameters that links keep: time and measure. */
export function context({ measure, last, from, to }) {
  return query({ measure, last, from, to });
}

/** Parameters of api/v1/series. With many rows, rows that are not in rollups yet are ignored; the result has its freshness. */
export function seriesParameters({ by, measure, last, from, to, filter, n, previous, step }, points) {
  return { by: by.join(","), measure, last, from, to, filter, n, step, points: step ? null : points, previous: previous ? "true" : null, rolled: "true" };
}

/** Length of the window in milliseconds. */
export function lengthMs({ last, from, to }) {
  if (from != null) return Date.parse(to) - Date.parse(from);
  const match = /^(\d+)([smhdwy]?)$/.exec(last);
  return match ? Number(match[1]) * UNITS[match[2] || "s"] : UNITS.h;
}

/** The window between two instants, at least a second long. */
export function between(view, fromMs, toMs) {
  const from = Math.round(fromMs);
  const to = Math.max(Math.round(toMs), from + 1_000);
  return { ...view, last: null, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
