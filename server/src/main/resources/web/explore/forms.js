/** A view as text of other kinds. Pure functions. */

import { literal } from "../dimensions.js";

const BYTES = "sum(bytes * sampling_rate)";
const SUMS = {
  bits: (step) => `8 * ${BYTES} / ${step} AS rate`,
  packets: (step) => `sum(packets * sampling_rate) / ${step} AS rate`,
  flows: (step) => `count(*) / ${step} AS rate`,
  share: () => `${BYTES} AS bytes`,
};

/** A line a group and step: time, the dimensions, the rate, and how far it may be off where it is estimated. As RFC 4180 has it. */
export function csv(answer, by) {
  const isEstimated = answer.total.errors.length > 0;
  const lines = [["time", ...by, "rate", ...(isEstimated ? ["error"] : [])]];
  for (const group of [...answer.groups, ...(answer.others ? [{ ...answer.others, key: by.map(() => "(all others)") }] : [])]) {
    answer.times.forEach((ms, i) => lines.push([new Date(ms).toISOString(), ...group.key, group.values[i], ...(isEstimated ? [group.errors[i]] : [])]));
  }
  return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

function cell(value) {
  const text = value == null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The same groups and steps from the rows of flows; condition is the filter in SQL, or null. */
export function sqlOf({ by, measure }, answer, condition) {
  const step = answer.step_seconds;
  const at = (text) => `TIMESTAMP ${literal(new Date(text).toISOString().replace("T", " ").replace("Z", ""))}`;
  const filter = condition ? `\n  AND (${condition})` : "";
  const sums = `SELECT time_bucket(INTERVAL ${step} SECOND, time) AS step, ${by.join(", ")}, ${SUMS[measure](step)}
FROM flows
WHERE time >= ${at(answer.from)} AND time < ${at(answer.to)}${filter}
GROUP BY ALL`;
  const rates = measure === "share" ? `SELECT * EXCLUDE (bytes), 100 * bytes / sum(bytes) OVER (PARTITION BY step) AS rate FROM (\n${sums}\n)` : sums;
  return `${rates} ORDER BY step, rate DESC`;
}
