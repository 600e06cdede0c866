/** Interface counters, for comparison with flows. */

import * as api from "../api.js";
import { literal } from "../dimensions.js";
import { percent, short } from "../format.js";

const MANY_ROWS_MS = 86_400_000; // longer windows are aggregated by the server
const MINUTE_MS = 60_000;
const MIN_MS = 3_600_000; // twelve 5-minute rates
let remembered = {};
const RATES = ["out_bits", "in_bits"];

/**
 * Parts of steps covered by counters: {step, seconds, volumes} each, the step as a multiple of its length since the epoch, the
 * volumes in the order of the rates. A pure function.
 *
 * @param rows [endMs, seconds, ...rates] each, the rates of the seconds before the end
 */
export function parts(rows, step) {
  return rows.flatMap(([endMs, seconds, ...rates]) => {
    const end = endMs / 1_000;
    const start = end - seconds;
    const made = [];
    for (let at = Math.floor(start / step); at * step < end; at++) {
      const covered = Math.min(end, (at + 1) * step) - Math.max(start, at * step);
      if (covered > 0) made.push({ step: at, seconds: covered, volumes: rates.map((rate) => (rate == null ? null : rate * covered)) });
    }
    return made;
  });
}

/**
 * Rates of steps from their parts, and of fully covered steps only: {values, whole}, each null where unknown. A pure function.
 *
 * @param times starts of the steps in milliseconds
 * @param column of the volumes
 */
export function rates(each, times, step, column) {
  const sums = new Map();
  for (const { step: at, seconds, volumes } of each) {
    if (volumes[column] == null) continue;
    const sum = sums.get(at) ?? { seconds: 0, volume: 0 };
    sums.set(at, { seconds: sum.seconds + Number(seconds), volume: sum.volume + Number(volumes[column]) });
  }
  const found = times.map((ms) => sums.get(Math.round(ms / 1_000 / step)));
  const isWhole = ({ seconds }) => seconds > 0.999 * step;
  return {
    values: found.map((sum) => (sum ? sum.volume / sum.seconds : null)),
    whole: found.map((sum) => (sum && isWhole(sum) ? sum.volume / sum.seconds : null)),
  };
}

/** Lines of ingress and egress counters at the steps of a result; none if the interface has no counters. */
export async function countedLines({ exporter, number }, result) {
  const text = (ms) => `TIMESTAMP '${new Date(ms).toISOString().replace("T", " ").replace("Z", "")}'`;
  const step = result.step_seconds;
  const from = `FROM interface_rates WHERE exporter = ${literal(exporter)} AND interface = ${literal(number)} AND time >= ${text(result.from)} AND time < ${text(result.to)}`;
  const isLong = Date.parse(result.to) - Date.parse(result.from) > MANY_ROWS_MS;
  const [found, newest] = await Promise.all([
    api.sql(isLong ? summed(from, step) : `SELECT epoch_ms(time), seconds, ${RATES.join(", ")} ${from}`),
    api.sql(`SELECT out_percent, in_percent ${from} ORDER BY time DESC LIMIT 1`),
  ]);
  if (found.rows.length === 0) return [];
  const each = isLong ? found.rows.map(([at, seconds, ...volumes]) => ({ step: Number(at), seconds, volumes })) : parts(found.rows.map((row) => row.map((value) => (value == null ? null : Number(value)))), step);
  const line = (name, column) => {
    const made = rates(each, result.times, step, column);
    const known = made.values.filter((value) => value != null);
    const used = newest.rows[0]?.[column];
    return { key: [name], label: [name], ...made, average: known.reduce((a, b) => a + b, 0) / (known.length || 1), used: used == null ? null : Number(used) };
  };
  return [line("egress counter", 0), line("ingress counter", 1)];
}

/** The parts of rows shorter than a step: each overlaps the step of its end, and the one before. */
function summed(from, step) {
  const volumes = (seconds) => RATES.map((rate) => `sum(${rate} * ${seconds})`).join(", ");
  const end = `epoch_ms(time) / 1e3`;
  const last = `least(seconds, ${end} - ${step} * floor(${end} / ${step}))`;
  return `SELECT floor(${end} / ${step})::BIGINT, sum(${last}), ${volumes(last)} ${from} AND seconds <= ${step} GROUP BY 1
UNION ALL SELECT floor(${end} / ${step})::BIGINT - 1, sum(seconds - ${last}), ${volumes(`(seconds - ${last})`)} ${from} AND seconds <= ${step} GROUP BY 1`;
}

/** 95th percentiles of 5-minute rates of the interface's counters and flows; empty if unknown, or for too short windows. */
export async function percentilesText({ exporter, number }, result) {
  const from = Date.parse(result.from);
  const to = Date.parse(result.to);
  if (to - from < MIN_MS) return "";
  const key = [exporter, number, Math.round(from / MINUTE_MS), Math.round(to / MINUTE_MS)].join(" ");
  if (remembered.key !== key) remembered = { key, text: await percentiles(exporter, number, from, to) }; // pages refresh every few seconds
  return remembered.text;
}

async function percentiles(exporter, number, from, to) {
  const at = (ms) => `TIMESTAMP '${new Date(ms).toISOString().replace("T", " ").replace("Z", "")}'`;
  const counted = api.sql(
    `SELECT quantile_disc(in_bits, 0.95), quantile_disc(out_bits, 0.95), count(*) FROM interface_fives WHERE exporter = ${literal(exporter)} AND interface = ${literal(number)} AND time >= ${at(from)} AND time < ${at(to)}`,
  );
  const flows = ["in_if", "out_if"].map((side) => api.top({ by: `exporter,${side}`, filter: `exporter = ${literal(exporter)} AND ${side} = ${literal(number)}`, from: new Date(from).toISOString(), to: new Date(to).toISOString(), n: 1, p95: "true" }));
  const [{ rows }, into, out] = await Promise.all([counted, ...flows]);
  const [countedIn, countedOut, fives] = rows[0];
  if (Number(fives) === 0) return "";
  const side = (name, own, { rows: [first] }) => `${name} ${short(Number(own), "bit/s")} by counters${first?.p95 == null ? "" : `, ${short(first.p95, "bit/s")} by flows`}`;
  return `95th percentile of ${fives} 5-minute rates: ${side("in", countedIn, into)}; ${side("out", countedOut, out)}.`;
}

/** Points fully covered by flows: the first may have begun before its rows, the last ones are incomplete. */
function wholeFlows({ values }, { times, step_seconds: step, complete_until: until }) {
  return values.map((value, i) => (i > 0 && values[i - 1] != null && times[i] + 1_000 * step <= Date.parse(until) ? value : null));
}

/** Share of the counters that flows account for, over steps fully covered by both. */
export function countedText(result) {
  const [out, into, countedOut, countedIn] = result.groups;
  if (!countedOut) return "The interface reported no counters in this time range.";
  return [
    ["in", into, countedIn],
    ["out", out, countedOut],
  ]
    .map(([name, flows, counted]) => {
      const known = wholeFlows(flows, result);
      const both = counted.whole.map((value, i) => [known[i], value]).filter(([a, b]) => a != null && b != null);
      const sum = (i) => both.reduce((all, pair) => all + pair[i], 0);
      const used = counted.used == null ? "" : `, ${counted.used.toFixed(1)} % utilisation`;
      const said = both.length > 0 ? `flows account for ${percent(sum(0), sum(1))} of it in the ${both.length} steps that have flows and counters` : "no step has flows and counters yet";
      return `Counter ${name}: ${short(counted.average, "bit/s")}${used}; ${said}.`;
    })
    .join(" ");
}
