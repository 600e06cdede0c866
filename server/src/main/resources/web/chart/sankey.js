/** A Sankey diagram of two or three dimensions. */

import { percent, short } from "../format.js";
import { color, colors } from "./colors.js";

const SVG = "http://www.w3.org/2000/svg";
const NODE = 14;
const GAP = 8;
const TOP = 24;
const MIN_WIDTH = 560; // scrolls in a narrower container
const LABEL = 12;
const OTHERS = "\u0000others"; // not a value of a column

/**
 * Nodes by column, largest first, and the links between adjacent columns. A pure function.
 *
 * @param groups of a result, each with a key and label per column
 * @return {columns: [[{key, label, total}]], links: [{column, from, to, total}]}, from and to being indexes of nodes
 */
export function flows(groups, width) {
  const columns = Array.from({ length: width }, () => new Map());
  const links = new Map();
  for (const { key, label, total } of groups) {
    for (let i = 0; i < width; i++) {
      const node = columns[i].get(key[i]) ?? { key: key[i], label: label[i] ?? "unknown", total: 0 };
      node.total += total;
      columns[i].set(key[i], node);
      if (i > 0) {
        const name = JSON.stringify([i, key[i - 1], key[i]]);
        const found = links.get(name) ?? { column: i - 1, fromKey: key[i - 1], toKey: key[i], total: 0 };
        found.total += total;
        links.set(name, found);
      }
    }
  }
  const isOthers = ({ key }) => key === OTHERS;
  const sorted = columns.map((nodes) => [...nodes.values()].sort((a, b) => isOthers(a) - isOthers(b) || b.total - a.total));
  const index = (column, key) => sorted[column].findIndex((node) => node.key === key);
  const made = [...links.values()].map(({ column, fromKey, toKey, total }) => ({ column, from: index(column, fromKey), to: index(column + 1, toKey), total }));
  return { columns: sorted, links: made.sort((a, b) => a.from - b.from || a.to - b.to) };
}

/** The groups, and all others as one more group, so that the diagram shows all traffic. A pure function. */
export function drawn({ groups, others }, width) {
  const of = (text) => Array.from({ length: width }, () => text);
  const known = groups.filter(({ isVague }) => !isVague);
  return others?.total > 0 ? [...known, { key: of(OTHERS), label: of("all others"), total: others.total }] : known;
}

/**
 * @param titles of the columns
 * @param onPick called with column, key, text and element of a clicked node
 */
export function sankey(place, result, titles, unit, onPick) {
  const { columns, links } = flows(drawn(result, titles.length), titles.length);
  const width = Math.max(MIN_WIDTH, place.clientWidth);
  const rows = Math.max(...columns.map((nodes) => nodes.length), 1);
  const total = Math.max(...columns.map((nodes) => nodes.reduce((sum, node) => sum + node.total, 0)), 1);
  const scale = Math.max(240, rows * LABEL) / total;
  const own = colors(columns[0].length);
  const paint = columns[0].map(({ key }, i) => (key === OTHERS ? own.at(-1) : own[i]));
  const seconds = result.times.length * result.step_seconds;
  const rate = (volume) => (unit === "%" ? percent(volume, result.total.total) : short(volume / seconds, unit));
  const left = (column) => Math.round((column * (width - NODE)) / (titles.length - 1));
  let height = 0;
  for (const nodes of columns) {
    let top = TOP;
    for (const node of nodes) {
      Object.assign(node, { top, size: Math.max(1, node.total * scale), sent: 0, taken: 0 });
      top += Math.max(node.size, LABEL) + GAP;
    }
    height = Math.max(height, top);
  }
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "sankey", role: "group", "aria-label": titles.join(" to ") });
  const titled = titles.map((text, i) => caption(left(i), 14, i, titles.length, text, { fill: color("--quiet"), "font-size": 12 }));
  const ribbons = links.map((link) => ribbon(link, columns, left, scale, link.column === 0 ? paint[link.from] : color("--quiet"), rate));
  const bars = columns.flatMap((nodes, i) =>
    nodes.flatMap((node, row) => {
      const bar = shape("rect", { x: left(i), y: node.top, width: NODE, height: node.size, fill: i === 0 ? paint[row] : color("--quiet") });
      const text = caption(left(i), node.top + node.size / 2 + 4, i, titles.length, `${cut(node.label)} · ${rate(node.total)}`, { fill: color("--ink"), "font-size": LABEL });
      if (node.key === OTHERS) {
        const made = shape("g", {});
        made.append(bar, text);
        return [made];
      }
      const made = shape("g", { class: "node", tabindex: 0, role: "button", "aria-label": `${titles[i]}: ${node.label}, ${rate(node.total)}` });
      made.append(bar, text);
      made.addEventListener("click", () => onPick(i, node.key, node.label, made));
      made.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          onPick(i, node.key, node.label, made);
        }
      });
      return [made];
    }),
  );
  svg.append(...ribbons, ...titled, ...bars);
  place.replaceChildren(svg);
}

function ribbon(link, columns, left, scale, fill, rate) {
  const from = columns[link.column][link.from];
  const to = columns[link.column + 1][link.to];
  const size = Math.max(0.5, link.total * scale);
  const x1 = left(link.column) + NODE;
  const x2 = left(link.column + 1);
  const y1 = from.top + from.sent;
  const y2 = to.top + to.taken;
  const middle = (x1 + x2) / 2;
  from.sent += size;
  to.taken += size;
  const made = shape("path", {
    d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}V${y2 + size}C${middle} ${y2 + size} ${middle} ${y1 + size} ${x1} ${y1 + size}Z`,
    fill,
    "fill-opacity": 0.35,
  });
  const title = shape("title", {});
  title.textContent = `${from.label} → ${to.label}: ${rate(link.total)}`;
  made.append(title);
  return made;
}

function caption(x, y, column, columns, text, attributes) {
  const isLast = column === columns - 1;
  const made = shape("text", { x: isLast ? x - 6 : x + NODE + 6, y, "text-anchor": isLast ? "end" : "start", "font-family": "system-ui, sans-serif", ...attributes });
  made.textContent = text;
  return made;
}

/** Truncates a text. */
export function cut(text, most = 32) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** An element of SVG. */
export function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  return made;
}
