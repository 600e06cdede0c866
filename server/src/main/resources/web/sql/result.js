/** Converts rows with numbers over time to a result for the plot. A pure function. */

const NUMBERS = new Set(["integer", "real", "decimal"]);
const MAX_LINES = 12;

/**
 * A result for the plot: the first column of times, at most one column of texts as line names, and numbers; null for other or
 * too few rows.
 */
export function chartOf({ columns, rows }) {
  const timed = columns.findIndex(({ type }) => /^(TIMESTAMP|DATE)/.test(type));
  const numbers = columns.flatMap(({ kind }, i) => (NUMBERS.has(kind) ? [i] : []));
  const names = columns.flatMap((column, i) => (i !== timed && !numbers.includes(i) ? [i] : []));
  if (timed < 0 || numbers.length === 0 || names.length > 1 || rows.length < 2) return null;
  const ms = (row) => Date.parse(`${String(row[timed]).replace(" ", "T")}${String(row[timed]).includes(":") ? "" : "T00:00:00"}Z`);
  const times = [...new Set(rows.map(ms))].filter(Number.isFinite).sort((a, b) => a - b);
  if (times.length < 2) return null;
  const index = new Map(times.map((each, i) => [each, i]));
  const lines = new Map();
  for (const row of rows) {
    for (const number of numbers) {
      const text = names.length > 0 ? `${row[names[0]] ?? "NULL"}${numbers.length > 1 ? `, ${columns[number].name}` : ""}` : columns[number].name;
      const values = lines.get(text) ?? times.map(() => null);
      if (index.has(ms(row))) values[index.get(ms(row))] = row[number] == null ? null : Number(row[number]);
      lines.set(text, values);
    }
  }
  const groups = [...lines].slice(0, MAX_LINES).map(([text, values]) => ({ key: [text], label: [text], values, total: 1 }));
  const apart = Math.min(...times.slice(1).map((each, i) => each - times[i]));
  return { times, step_seconds: apart / 1_000, groups, others: null, previous: null };
}
