/** A matrix of two dimensions with the traffic of each pair. */

import { percent, short } from "../format.js";
import { color } from "./colors.js";
import { cut, shape } from "./sankey.js";

const CELL = 26;
const SIDE = 190; // space for the labels
const TOP = 150;
const LABEL = 12;

/**
 * Rows and columns, largest first, and the cells with traffic. A pure function.
 *
 * @param groups of a result by two dimensions
 * @return {rows: [{key, label, total}], columns: the same, cells: [{row, column, total}]}
 */
export function cells(groups) {
  const sides = [new Map(), new Map()];
  for (const { key, label, total } of groups) {
    sides.forEach((side, i) => {
      const found = side.get(key[i]) ?? { key: key[i], label: label[i] ?? "unknown", total: 0 };
      found.total += total;
      side.set(key[i], found);
    });
  }
  const [rows, columns] = sides.map((side) => [...side.values()].sort((a, b) => b.total - a.total));
  const index = (list, key) => list.findIndex((each) => each.key === key);
  return { rows, columns, cells: groups.map(({ key, total }) => ({ row: index(rows, key[0]), column: index(columns, key[1]), total })) };
}

/**
 * @param titles of the two dimensions
 * @param onPick called with dimension, key, text and element of a clicked heading
 */
export function matrix(place, result, titles, unit, onPick) {
  const made = cells(result.groups.filter(({ isVague }) => !isVague));
  const seconds = result.times.length * result.step_seconds;
  const rate = (volume) => (unit === "%" ? percent(volume, result.total.total) : short(volume / seconds, unit));
  const largest = Math.max(...made.cells.map(({ total }) => total), 1);
  const width = SIDE + made.columns.length * CELL + TOP;
  const height = TOP + made.rows.length * CELL + LABEL;
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "matrix", role: "group", "aria-label": `${titles[0]} by ${titles[1]}` });
  const paint = color("--group-0");
  const squares = made.cells.map(({ row, column, total }) => {
    const square = shape("rect", { x: SIDE + column * CELL + 1, y: TOP + row * CELL + 1, width: CELL - 2, height: CELL - 2, fill: paint, "fill-opacity": Math.max(0.06, Math.sqrt(total / largest)).toFixed(3) });
    const title = shape("title", {});
    title.textContent = `${made.rows[row].label} → ${made.columns[column].label}: ${rate(total)}`;
    square.append(title);
    return square;
  });
  const middle = CELL / 2 + 4;
  const rows = made.rows.map((each, i) => heading(0, each, { x: SIDE - 8, y: TOP + i * CELL + middle, "text-anchor": "end" }));
  const columns = made.columns.map((each, i) => {
    const x = SIDE + i * CELL + middle;
    return heading(1, each, { x, y: TOP - 8, transform: `rotate(-50 ${x} ${TOP - 8})` });
  });
  const corner = [titles[0], `→ ${titles[1]}`].map((title, i) => {
    const text = shape("text", { x: SIDE - 8, y: TOP - 24 + 16 * i, "text-anchor": "end", fill: color("--quiet"), "font-size": LABEL, "font-family": "system-ui, sans-serif" });
    text.textContent = title;
    return text;
  });
  svg.append(...corner, ...squares, ...rows, ...columns);
  place.replaceChildren(svg);

  function heading(side, { key, label, total }, attributes) {
    const text = shape("text", { fill: color("--ink"), "font-size": LABEL, "font-family": "system-ui, sans-serif", class: "node", tabindex: 0, role: "button", "aria-label": `${titles[side]}: ${label}, ${rate(total)}`, ...attributes });
    text.textContent = cut(label, 22);
    text.addEventListener("click", () => onPick(side, key, label, text));
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        onPick(side, key, label, text);
      }
    });
    return text;
  }
}
