/** Exports of a view as text. Pure functions. */

import { literal } from "../dimensions.js";

const BYTES = "sum(bytes * sampling_rate)";
const SUMS = {
  bits: (step) => `8 * ${BYTES} / ${step} AS rate`,
  packets: (step) => `sum(packets * sampling_rate) / ${step} AS rate`,
  flows: (step) => `count(*) / ${step} AS rate`,
  share: () => `${BYTES} AS bytes`,
};

/** A table as CSV (RFC 4180): the displayed figures, with units in the headings. */
export function tableCsv({ headings, rows }) {
  return lines([headings, ...rows]);
}

/** CSV for spreadsheets: with a byte order mark for UTF-8, and an apostrophe before texts that look like formulas. */
export function spreadsheetCsv({ headings, rows }) {
  return `\uFEFF${lines([headings, ...rows].map((line) => line.map(harmless)))}`;
}

/** A line per group and step: time, labels of the group, rate, and its confidence interval if estimated. */
export function pointsCsv(result, headings, unit) {
  const isEstimated = result.total.errors.length > 0;
  const made = [["Time", ...headings, `Rate, ${unit}`, ...(isEstimated ? [`Half-width (95%), ${unit}`] : [])]];
  const others = result.others?.total > 0 ? [{ ...result.others, label: headings.map((_, i) => (i === 0 ? "all others" : null)) }] : [];
  for (const group of [...result.groups, ...others]) {
    result.times.forEach((ms, i) => made.push([new Date(ms).toISOString(), ...group.label, group.values[i], ...(isEstimated ? [group.errors[i]] : [])]));
  }
  return lines(made);
}

/** A file name from view and time: "millrace-src_as-bits-20260131T120000Z-20260131T130000Z.csv". */
export function fileName({ by, measure }, { from, to }, ending) {
  const at = (text) => new Date(text).toISOString().replace(/[-:]|\.\d+/g, "");
  return `millrace-${[...by, measure, at(from), at(to)].join("-")}.${ending}`;
}

function lines(rows) {
  return rows.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

function cell(value) {
  const text = value == null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function harmless(value) {
  return typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}

/** SQL query for the same groups and steps; condition is the filter in SQL, or null. */
export function sqlOf({ by, measure }, result, condition) {
  const step = result.step_seconds;
  const at = (text) => `TIMESTAMP ${literal(new Date(text).toISOString().replace("T", " ").replace("Z", ""))}`;
  const filter = condition ? `\n  AND (${condition})` : "";
  const sums = `SELECT time_bucket(INTERVAL ${step} SECOND, time) AS step, ${by.join(", ")}, ${SUMS[measure](step)}
FROM flows
WHERE time >= ${at(result.from)} AND time < ${at(result.to)}${filter}
GROUP BY ALL`;
  const rates = measure === "share" ? `SELECT * EXCLUDE (bytes), 100 * bytes / sum(bytes) OVER (PARTITION BY step) AS rate FROM (\n${sums}\n)` : sums;
  return `${rates} ORDER BY step, rate DESC`;
}
