/** What an interface counted itself, beside what its flows say. */

import * as api from "../api.js";
import { literal } from "../dimensions.js";
import { percent, short } from "../format.js";

/** Lines of what was counted in and out, at the steps of an answer; none where the interface tells nothing. */
export async function countedLines({ exporter, number }, answer) {
  const text = (ms) => `TIMESTAMP '${new Date(ms).toISOString().replace("T", " ").replace("Z", "")}'`;
  const step = answer.step_seconds;
  const { rows } = await api.sql(`SELECT epoch(time)::BIGINT // ${step} AS step, avg(out_bits), avg(in_bits), avg(out_percent), avg(in_percent)
FROM interface_rates WHERE exporter = ${literal(exporter)} AND interface = ${literal(number)} AND time >= ${text(answer.from)} AND time < ${text(answer.to)} GROUP BY ALL`);
  if (rows.length === 0) return [];
  const at = new Map(rows.map((row) => [Number(row[0]), row]));
  const values = (column) => answer.times.map((ms) => at.get(Math.round(ms / 1_000 / step))?.[column] ?? null).map((value) => (value == null ? null : Number(value)));
  const line = (name, column) => {
    const each = values(column);
    const known = each.filter((value) => value != null);
    return { key: [name], label: [name], isSparse: true, values: each, average: known.reduce((a, b) => a + b, 0) / (known.length || 1), used: values(column + 2).filter((value) => value != null).at(-1) };
  };
  return [line("counted out", 1), line("counted in", 2)];
}

/** What flows say in percent of what was counted, over the steps that both know. */
export function countedText({ groups }) {
  const [out, into, countedOut, countedIn] = groups;
  if (!countedOut) return "The interface has told no counters of its own in this time.";
  return [
    ["in", into, countedIn],
    ["out", out, countedOut],
  ]
    .map(([name, flows, counted]) => {
      const both = counted.values.map((value, i) => [flows.values[i], value]).filter(([a, b]) => a != null && b != null);
      const sum = (i) => both.reduce((all, pair) => all + pair[i], 0);
      const used = counted.used == null ? "" : `, ${counted.used.toFixed(1)} % of its speed`;
      return `Counted ${name}: ${short(counted.average, "bit/s")}${used}; its flows say ${percent(sum(0), sum(1))} of that.`;
    })
    .join(" ");
}
