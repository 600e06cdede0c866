/** A line over time in SVG. The geometry is pure; draw() alone touches the page. */

import { roundUp, short } from "../format.js";

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 80;
const RIGHT = 790;
const TOP = 10;
const BOTTOM = 195;
const GRID_LINES = 4;

/**
 * Values (oldest first, null for unknown) as runs of points [x, y]; an unknown value ends a run.
 */
export function runs(values, highest) {
  const step = values.length > 1 ? (RIGHT - LEFT) / (values.length - 1) : 0;
  const found = [];
  let run = null;
  values.forEach((value, i) => {
    if (value == null) {
      run = null;
      return;
    }
    if (run == null) {
      run = [];
      found.push(run);
    }
    run.push([LEFT + i * step, BOTTOM - (value / highest) * (BOTTOM - TOP)]);
  });
  return found;
}

/** An SVG path through the points. */
export function path(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/**
 * Splits a run where the open values begin, of which rows are still on their way: [complete, open]. Both have the point
 * between them.
 */
export function split(points, firstOpenX) {
  const open = points.findIndex(([x]) => x >= firstOpenX);
  return open < 0 ? [points, []] : [points.slice(0, open), points.slice(Math.max(0, open - 1))];
}

/** Draws {end_ms, step_ms, open_steps, bits_per_second} into the SVG element. */
export function draw(svg, traffic) {
  const values = traffic.bits_per_second;
  const highest = roundUp(Math.max(0, ...values.filter((value) => value != null)));
  const parts = [];
  for (let i = 0; i <= GRID_LINES; i++) {
    const y = BOTTOM - (i / GRID_LINES) * (BOTTOM - TOP);
    parts.push(shape("line", { class: "grid", x1: LEFT, x2: RIGHT, y1: y, y2: y }));
    parts.push(label(LEFT - 6, y + 4, "end", short((highest * i) / GRID_LINES, "bit/s")));
  }
  const step = values.length > 1 ? (RIGHT - LEFT) / (values.length - 1) : 0;
  const firstOpenX = LEFT + (values.length - traffic.open_steps) * step - step / 2;
  for (const points of runs(values, highest)) {
    const line = path(points);
    const from = points[0][0].toFixed(1);
    const to = points[points.length - 1][0].toFixed(1);
    parts.push(shape("path", { class: "under", d: `${line}L${to} ${BOTTOM}L${from} ${BOTTOM}Z` }));
    const [complete, open] = split(points, firstOpenX);
    parts.push(shape("path", { class: "trace", d: path(complete) }));
    parts.push(shape("path", { class: "trace open", d: path(open) }));
  }
  const span = traffic.step_ms * Math.max(0, values.length - 1);
  parts.push(label(LEFT, BOTTOM + 18, "start", clock(traffic.end_ms - span)));
  parts.push(label(RIGHT, BOTTOM + 18, "end", clock(traffic.end_ms)));
  svg.replaceChildren(...parts);
  const latest = values.slice(0, values.length - traffic.open_steps).filter((value) => value != null).at(-1);
  svg.setAttribute("aria-label", `Traffic over the last minutes, now ${short(latest, "bit/s")}`);
}

function clock(ms) {
  return new Date(ms).toLocaleTimeString();
}

function label(x, y, anchor, text) {
  const made = shape("text", { x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  return made;
}
