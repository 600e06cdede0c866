/** A sparkline, scaled from 0 to the largest or to a given value. */

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 96;
const HEIGHT = 20;

/** The path "Mx,y Lx,y …" through the values, at most one point per pixel, with gaps at unknown values. */
export function path(values, top = null, width = WIDTH, height = HEIGHT) {
  const each = Math.max(1, Math.ceil(values.length / width));
  const kept = [];
  for (let i = 0; i < values.length; i += each) {
    const known = values.slice(i, i + each).filter((value) => value != null);
    kept.push(known.length > 0 ? Math.max(...known) : null);
  }
  const highest = top ?? (Math.max(...kept.filter((value) => value != null), 0) || 1);
  const step = kept.length > 1 ? width / (kept.length - 1) : 0;
  const place = (value, i) => `${(i * step).toFixed(1)},${(height - 1 - (value / highest) * (height - 2)).toFixed(1)}`;
  const begins = (i) => kept[i - 1] == null;
  const dot = (i) => (begins(i) && kept[i + 1] == null ? "h1" : "");
  return kept.flatMap((value, i) => (value == null ? [] : [`${begins(i) ? "M" : "L"}${place(value, i)}${dot(i)}`])).join(" ");
}

export function spark(values, top = null) {
  const svg = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("class", "spark");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path(values, top));
  svg.append(line);
  return svg;
}
