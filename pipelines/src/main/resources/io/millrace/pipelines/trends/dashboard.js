/** Trends of keywords in the newest bucket, each with a sparkline of its counts. */

import * as api from "../api.js";
import { element, table } from "../element.js";
import { short } from "../format.js";

const COUNT = 10;
const WIDTH = 96;
const HEIGHT = 20;
const SVG = "http://www.w3.org/2000/svg";

export const title = "Rising keywords";

/** Points of a line through the counts in a box, the greatest at its top. */
export function points(series, width = WIDTH, height = HEIGHT) {
  const top = Math.max(1, ...series);
  const step = width / Math.max(1, series.length - 1);
  return series.map((count, i) => `${(i * step).toFixed(1)},${(height - 1 - (count / top) * (height - 2)).toFixed(1)}`).join(" ");
}

function sparkline(series) {
  const line = document.createElementNS(SVG, "polyline");
  const picture = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ points: points(series), fill: "none", stroke: "currentColor", "stroke-width": 1.5 })) {
    line.setAttribute(key, value);
  }
  for (const [key, value] of Object.entries({ width: WIDTH, height: HEIGHT, role: "img", "aria-label": series.join(", ") })) {
    picture.setAttribute(key, value);
  }
  picture.append(line);
  return element("td", {}, picture);
}

/** A table of trends; texts are the cells before count, expectation, score and sparkline. */
export function list(result, headings, texts) {
  if (result.rows.length === 0) {
    return element("p", {}, "No trends yet.");
  }
  const rows = result.rows.map((row) => [
    ...texts(row),
    short(row.count),
    short(row.expectation),
    row.score.toFixed(1),
    sparkline(row.series),
  ]);
  const numeric = new Set([0, 1, 2].map((i) => headings.length + i));
  return table(`Bucket of ${result.bucket}`, [...headings, "Count", "Expected", "Score", "Series"], rows, numeric);
}

export async function refresh(place) {
  const result = await api.get(`trends?n=${COUNT}`);
  place.replaceChildren(list(result, ["Keyword", "Kind"], (row) => [row.keyword, row.kind]));
}
