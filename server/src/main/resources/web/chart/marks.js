/** Marks at times of a chart, as links. Overlapping marks are merged. */

import { element } from "../element.js";
import { link } from "../route.js";

const APART = 24; // minimum distance in pixels, so that each can be clicked
const MAX_NAMED = 5;
const MINUTE = 60_000;

/**
 * Merges adjacent marks by position: {left, marks} each. A pure function.
 *
 * @param marks {ms} each
 * @param leftOf returns the position of a time, in pixels
 */
export function grouped(marks, leftOf) {
  const groups = [];
  for (const mark of [...marks].sort((a, b) => a.ms - b.ms)) {
    const left = leftOf(mark.ms);
    const last = groups.at(-1);
    if (last && left - last.left < APART) last.marks.push(mark);
    else groups.push({ left, marks: [mark] });
  }
  return groups;
}

export class Marks {
  constructor() {
    this.marks = [];
    this.shown = "";
    this.place = element("div", { class: "marks", role: "group", "aria-label": "Starts of alerts" });
    for (const name of ["mousedown", "mouseup", "click"]) {
      this.place.addEventListener(name, (event) => event.stopPropagation()); // keeps the chart from reacting
    }
  }

  /** Draws marks over a uPlot chart; keeps existing elements and with them the focus. */
  draw(u, fromMs, toMs) {
    const inside = this.marks.filter(({ ms }) => ms >= fromMs && ms < toMs);
    const groups = grouped(inside, (ms) => u.valToPos(ms, "x"));
    const shown = JSON.stringify(groups.map(({ marks }) => marks));
    if (shown !== this.shown) {
      this.shown = shown;
      this.place.replaceChildren(...groups.map(({ marks }) => made(marks)));
    }
    groups.forEach(({ left }, i) => (this.place.children[i].style.left = `${left}px`));
    this.place.hidden = groups.length === 0;
    if (this.place.parentElement !== u.over) u.over.append(this.place);
  }
}

function made(marks) {
  const named = marks.slice(0, MAX_NAMED).map(({ text }) => text);
  const more = marks.length > MAX_NAMED ? [`and ${marks.length - MAX_NAMED} more`] : [];
  const text = [...named, ...more].join("\n");
  const from = new Date(marks[0].ms - MINUTE).toISOString();
  const to = new Date(marks.at(-1).ms + MINUTE).toISOString();
  const href = marks.length === 1 ? marks[0].href : link("alerts", [], { from, to });
  return element("a", { class: "mark", href, title: text, "aria-label": text }, marks.length === 1 ? "▾" : String(marks.length));
}
