/** Human-readable numbers and times. Pure functions; null and undefined become a dash. */

import { TOO_FEW } from "./estimates.js";

const NONE = "–";
const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];

/** Three digits and a decimal prefix: 1234567 → "1.23 M". */
export function short(value, unit = "") {
  if (value == null || !Number.isFinite(value)) return NONE;
  let scaled = value;
  let power = 0;
  while (Math.abs(scaled) >= 999.5 && power < PREFIXES.length - 1) {
    scaled /= 1000;
    power++;
  }
  const size = Math.abs(scaled);
  const digits = power === 0 && Number.isInteger(value) ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  const suffix = PREFIXES[power] + unit;
  return suffix ? `${scaled.toFixed(digits)} ${suffix}` : scaled.toFixed(digits);
}

/** An integer with grouped thousands: 1234567 → "1,234,567". */
export function whole(value) {
  return value == null ? NONE : Math.round(value).toLocaleString("en-GB");
}

/** A duration in milliseconds as text: "180 ms", "4.2 s", "12 min", "3 h". */
export function duration(ms) {
  if (ms == null) return NONE;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 100_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 3_600_000)} h`;
}

const STEPS = [[86_400, "day"], [3_600, "h"], [60, "min"], [1, "s"]];

/** The length of a step in seconds as text: "30 s", "5 min", "2 h", "1 day". */
export function stepText(seconds) {
  const [unit, name] = STEPS.find(([unit]) => seconds % unit === 0);
  const count = seconds / unit;
  return `${count} ${name}${name === "day" && count > 1 ? "s" : ""}`;
}

/** A share as a percentage; a dash if the whole is 0. */
export function percent(part, all) {
  return all > 0 && part != null ? `${((100 * part) / all).toFixed(1)} %` : NONE;
}

/** Confidence interval of a result's total; empty unless estimated. */
export function estimated({ error, total, isVague }) {
  if (isVague) return `${TOO_FEW} for an estimate`;
  return error > 0 ? `estimated ± ${percent(error, total)} (95%)` : "";
}

/** The round number at or above a value: 1, 2 or 5 times a power of ten. */
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((step) => step * power >= value * (1 - 1e-9));
}
