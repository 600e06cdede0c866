/** The time range: a choice of windows up to now, zoom and shift. */

import { button, element, select } from "../element.js";
import * as time from "../time.js";
import { between, lengthMs, WINDOWS } from "../view.js";

const FIXED = "fixed";

/**
 * The parts of a form.
 *
 * @param current returns the current view and the times of its result: {view, fromMs, toMs}
 * @param onChange called with another view
 */
export function windowParts(current, onChange) {
  const choice = select("last", "Last", Object.entries(WINDOWS), null);
  const field = choice.querySelector("select");
  const fixed = element("option", { value: FIXED, hidden: "" }, "custom");
  field.append(fixed);
  field.addEventListener("change", () => onChange({ ...current().view, last: field.value, from: null, to: null }));
  const [begin, end] = ["from", "to"].map((name) => element("input", { type: "datetime-local", step: "1", name }));
  let shownTimes = ["", ""];
  const pick = () => {
    if (begin.value === shownTimes[0] && end.value === shownTimes[1]) return;
    const { view } = current();
    const to = time.fromField(end.value) || Date.now();
    const from = time.fromField(begin.value) || to - lengthMs(view);
    const isOrdered = from < to;
    begin.setCustomValidity(isOrdered ? "" : "The start must be before the end.");
    begin.reportValidity();
    if (isOrdered) onChange(between(view, from, to));
  };
  for (const field of [begin, end]) {
    field.addEventListener("blur", pick); // "change" would fire for each typed part of a date
    field.addEventListener("keydown", (event) => event.key === "Enter" && pick());
  }
  const stretch = (from, to) => () => {
    const { view, fromMs, toMs } = current();
    const length = toMs - fromMs;
    onChange(between(view, fromMs + from * length, fromMs + to * length));
  };
  const steps = element(
    "span",
    { class: "steps", role: "group", "aria-label": "Time" },
    button("←", stretch(-0.5, 0.5), { title: "Earlier", "aria-label": "Earlier" }),
    button("−", stretch(-0.5, 1.5), { title: "Zoom out", "aria-label": "Zoom out" }),
    button("+", stretch(0.25, 0.75), { title: "Zoom in", "aria-label": "Zoom in" }),
    button("→", stretch(0.5, 1.5), { title: "Later", "aria-label": "Later" }),
  );
  return {
    parts: [choice, steps, element("label", {}, "From ", begin), element("label", {}, "to ", end)],
    show(view) {
      fixed.hidden = view.from == null;
      begin.value = view.from == null ? "" : time.toField(Date.parse(view.from));
      end.value = view.to == null ? "" : time.toField(Date.parse(view.to));
      shownTimes = [begin.value, end.value];
      field.value = view.last in WINDOWS ? view.last : FIXED;
      if (view.from != null) fixed.textContent = time.range(Date.parse(view.from), Date.parse(view.to));
      else if (!(view.last in WINDOWS)) fixed.textContent = `${lengthMs(view) / 60_000} minutes`;
    },
  };
}
