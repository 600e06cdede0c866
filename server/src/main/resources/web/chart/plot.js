/** Chart of groups over event time: stacked areas, lines, bars or a heat map, drawn by uPlot on a canvas. */

import { element } from "../element.js";
import { short } from "../format.js";
import { swatch } from "../values/groups.js";
import * as time from "../time.js";
import { color, colors, onTheme } from "./colors.js";
import * as errors from "./errors.js";
import { heat } from "./heat.js";
import { Marks } from "./marks.js";
import { layerAt, layers, stacked } from "./layers.js";

const { uPlot } = globalThis;
const HEIGHT = 320;
const MIN_DRAG = 6;
const SHORT_MS = 240_000;
const WITH_SECONDS = 76;
const WITHOUT_SECONDS = 40;
const MIN_TIMES = 6;
const READ_OUT = 8;
const KEYS = { "+": [0.25, 0.75], "=": [0.25, 0.75], "-": [-0.5, 1.5], ArrowLeft: [-0.5, 0.5], ArrowRight: [0.5, 1.5] };

export class Plot {
  /**
   * @param place container, which sets the width
   * @param actions onZoom(fromMs, toMs) for a selected time range; onPick(group or null, fromMs, toMs, {x, y}) for a click on a
   *     group at a step
   */
  constructor(place, actions) {
    this.place = place;
    this.actions = actions;
    this.shape = null;
    this.marks = new Marks();
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(place);
    this.endTheme = onTheme(() => this.redraw());
    place.tabIndex = 0;
    place.addEventListener("keydown", (event) => this.key(event));
  }

  /** Draws a result of api/v1/series as "area", "lines", "bars" or "heat". */
  draw(result, kind, unit, height = HEIGHT) {
    const shape = JSON.stringify([kind, unit, height, result.groups.map((group) => group.label), result.others?.total > 0, result.previous != null, time.isUtc()]);
    this.layers = layers(result);
    this.isStack = kind === "area" || kind === "bars";
    this.drawn = this.isStack ? stacked(this.layers) : this.layers.map((layer) => layer.values);
    this.bands = kind === "heat" ? [] : errors.bands(result, this.layers, colors(result.groups.length), this.isStack);
    this.last = { result, kind, unit, height };
    if (shape === this.shape) {
      this.chart.setData(this.data());
      return;
    }
    this.shape = shape;
    this.chart?.destroy();
    this.hidePointer();
    this.chart = new uPlot(this.options(), this.data(), this.place);
    this.listen(this.chart.over);
  }

  /** Replaces the marks: {ms, text, href} each. */
  mark(marks) {
    this.marks.marks = marks;
    if (this.chart) this.marks.draw(this.chart, this.last.result.times[0], this.endMs());
  }

  redraw() {
    this.shape = null;
    if (this.last) this.draw(this.last.result, this.last.kind, this.last.unit, this.last.height);
  }

  close() {
    this.resized.disconnect();
    this.endTheme();
    this.chart?.destroy();
  }

  /** The topmost layer of a stack is drawn first. A step lasts until the next one. */
  data() {
    const { result, kind } = this.last;
    if (kind === "heat") return [result.times, result.times.map(() => 0)];
    const rows = [...[...this.drawn].reverse(), ...(result.previous ? [result.previous.values] : [])];
    if (kind !== "area") return [result.times, ...rows];
    return [[...result.times, this.endMs()], ...rows.map((values) => [...values, values.at(-1)])];
  }

  options() {
    const { result, kind, unit, height } = this.last;
    const paint = colors(result.groups.length);
    const ink = color("--quiet");
    const grid = { stroke: color("--line"), width: 1 };
    const font = "12px system-ui, sans-serif";
    const isHeat = kind === "heat";
    return {
      width: this.width(),
      height: isHeat ? Math.max(160, 26 * result.groups.length + 60) : height,
      ms: 1,
      padding: [null, 30, null, null], // space for half of the last label
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false }, y: false, bind: { dblclick: () => null } },
      tzDate: time.shown,
      scales: {
        x: { range: () => [this.last.result.times[0], this.endMs()] },
        y: isHeat ? { range: [0, result.groups.length] } : { range: (u, low, high) => [0, (Math.max(high ?? 0, errors.highest(this.bands)) || 1) * 1.05] },
      },
      axes: [
        { stroke: ink, grid, ticks: grid, font, space: apart, values: (u, splits, axis, space, stepMs) => time.axis(splits, stepMs) },
        isHeat
          ? heat.axis(this.layers.slice(0, result.groups.length), ink, font, this.width())
          : { stroke: ink, grid, ticks: grid, font, size: 84, values: (u, splits) => splits.map((each) => short(each, unit)) },
      ],
      series: [{}, ...(isHeat ? [{ show: false }] : this.seriesOptions(paint, kind))],
      hooks: {
        drawClear: [(u) => this.shadeOpen(u)],
        draw: [(u) => this.marks.draw(u, this.last.result.times[0], this.endMs()), (u) => (isHeat ? heat.draw(u, this.last.result, this.endMs()) : errors.draw(u, this.bands, this.last.result.times, this.endMs(), this.isStack))],
        setSelect: [(u) => this.selected(u)],
        setCursor: [(u) => this.point(u)],
      },
    };
  }

  seriesOptions(paint, kind) {
    const { result } = this.last;
    const bars = kind === "bars" ? { paths: uPlot.paths.bars({ size: [0.9, 60], align: 1 }) } : {};
    const stepped = kind === "area" ? { paths: uPlot.paths.stepped({ align: 1 }) } : {};
    const made = this.layers.map((layer, i) => {
      const shade = layer.group ? paint[i] : paint.at(-1);
      const line = { label: layer.label, stroke: shade, points: { show: result.times.length < 3, filter: alone }, ...bars, ...stepped };
      return kind === "lines" ? { ...line, width: 2 } : { ...line, fill: shade, width: kind === "bars" ? 0 : 1 };
    });
    const previous = { label: "previous period", stroke: color("--ink"), dash: [6, 4], width: 1.5, points: { show: false } };
    return [...made.reverse(), ...(result.previous ? [previous] : [])];
  }

  /** Shades the incomplete last steps. */
  shadeOpen(u) {
    const until = Date.parse(this.last.result.complete_until);
    const end = this.endMs();
    if (!(until < end)) return;
    const left = Math.max(u.bbox.left, u.valToPos(until, "x", true));
    u.ctx.save();
    u.ctx.fillStyle = color("--open");
    u.ctx.fillRect(left, u.bbox.top, u.valToPos(end, "x", true) - left, u.bbox.height);
    u.ctx.restore();
  }

  endMs() {
    return this.last.result.times.at(-1) + 1_000 * this.last.result.step_seconds;
  }

  width() {
    return Math.max(240, this.place.clientWidth);
  }

  resize() {
    if (this.chart && this.chart.width !== this.width()) {
      this.chart.setSize({ width: this.width(), height: this.chart.height });
    }
  }

  selected(u) {
    if (u.select.width < MIN_DRAG) return;
    const from = u.posToVal(u.select.left, "x");
    const to = u.posToVal(u.select.left + u.select.width, "x");
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.actions.onZoom(from, to);
  }

  key(event) {
    const stretch = KEYS[event.key];
    if (event.target !== this.place || !stretch || !this.last) return;
    event.preventDefault();
    const from = this.last.result.times[0];
    const length = this.endMs() - from;
    this.actions.onZoom(...stretch.map((part) => from + part * length));
  }

  listen(over) {
    let down = null;
    over.addEventListener("mousedown", (event) => (down = event.clientX));
    over.addEventListener("click", (event) => {
      const at = this.under(this.chart);
      if (at && down != null && Math.abs(event.clientX - down) < MIN_DRAG) {
        this.actions.onPick(at.layer?.group ?? null, at.fromMs, at.fromMs + 1_000 * this.last.result.step_seconds, { x: event.clientX, y: event.clientY });
      }
    });
    over.addEventListener("mouseleave", () => this.hidePointer());
  }

  under(u) {
    const { result, kind } = this.last;
    if (u.cursor.left == null || u.cursor.left < 0) return null;
    const ms = u.posToVal(u.cursor.left, "x");
    const index = Math.min(result.times.length - 1, Math.max(0, Math.floor((ms - result.times[0]) / (1_000 * result.step_seconds))));
    const value = u.posToVal(u.cursor.top, "y");
    const found =
      kind === "heat" ? result.groups.length - 1 - Math.floor(value) : layerAt(this.drawn, index, value, this.isStack);
    return { index, fromMs: result.times[index], layer: found == null ? null : this.layers[found], found };
  }

  /** Tooltip: the largest groups of a step, and the one under the pointer. */
  point(u) {
    const at = this.under(u);
    if (!at) {
      this.hidePointer();
      return;
    }
    const { result, unit } = this.last;
    const paint = colors(result.groups.length);
    const rows = this.layers
      .map((layer, i) => ({ layer, i, value: layer.values[at.index] }))
      .filter(({ value, i }) => value > 0 || i === at.found)
      .sort((a, b) => b.value - a.value);
    const shown = rows.slice(0, READ_OUT);
    const pointed = rows.find(({ i }) => i === at.found);
    if (pointed && !shown.includes(pointed)) shown.push(pointed);
    const lines = shown.map(({ layer, i, value }) =>
      element(
        "li",
        i === at.found ? { class: "pointed" } : {},
        swatch(layer.group ? paint[i] : paint.at(-1)),
        element("span", {}, layer.label),
        element("b", {}, short(value, unit) + off(layer.errors, at.index, unit)),
      ),
    );
    const before = result.previous ? element("p", {}, `previous period: ${short(result.previous.values[at.index], unit)}`) : null;
    this.pointer ??= element("div", { class: "pointer", "aria-hidden": "true" });
    this.pointer.replaceChildren(element("p", {}, time.moment(at.fromMs, 1_000 * result.step_seconds)), element("ul", {}, ...lines), ...(before ? [before] : []));
    u.over.append(this.pointer);
    const isRight = u.cursor.left > u.over.clientWidth / 2;
    this.pointer.style.left = isRight ? "auto" : `${u.cursor.left + 16}px`;
    this.pointer.style.right = isRight ? `${u.over.clientWidth - u.cursor.left + 16}px` : "auto";
  }

  hidePointer() {
    this.pointer?.remove();
  }
}

/** Minimum distance in pixels between labels of the time axis; on a narrow chart, that of the shortest label. */
function apart(u, axis, fromMs, toMs, width) {
  return toMs - fromMs < SHORT_MS ? WITH_SECONDS : Math.min(WITH_SECONDS, Math.max(WITHOUT_SECONDS, width / MIN_TIMES));
}

/** Points without neighbours are drawn as dots. */
function alone(u, series, isShown) {
  if (isShown) return null;
  const values = u.data[series];
  const found = values.flatMap((value, i) => (value != null && values[i - 1] == null && values[i + 1] == null ? [i] : []));
  return found.length > 0 ? found : null;
}

/** Confidence interval of an estimated value. */
function off(errors, index, unit) {
  return errors?.[index] > 0 ? ` ± ${short(errors[index], unit)}` : "";
}
