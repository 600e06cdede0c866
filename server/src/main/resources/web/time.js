/** Times in the browser's zone, or in UTC; the choice is stored. */

const KEY = "millrace-utc";
const MINUTE = 60_000;
const DAY = 86_400_000;

export const isUtc = () => localStorage.getItem(KEY) === "true";

export function setUtc(wanted) {
  localStorage.setItem(KEY, String(wanted));
}

/** The displayed zone: "UTC", or the browser's with its offset. */
export function zone() {
  if (isUtc()) return "UTC";
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const offset = -new Date().getTimezoneOffset();
  const sign = offset < 0 ? "−" : "+";
  const size = Math.abs(offset);
  const minutes = size % 60 ? `:${String(size % 60).padStart(2, "0")}` : "";
  return `${name ?? "local time"} (UTC${sign}${Math.floor(size / 60)}${minutes})`;
}

/** A Date whose getters return the time in the displayed zone. */
export function shown(ms) {
  if (!isUtc()) return new Date(ms);
  const date = new Date(ms);
  return new Date(ms + date.getTimezoneOffset() * MINUTE);
}

/** The value of a date and time field, in the displayed zone. */
export function toField(ms) {
  const date = shown(ms);
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE).toISOString().slice(0, 19);
}

/** The instant of such a field; NaN if empty. */
export function fromField(text) {
  return text === "" ? NaN : isUtc() ? Date.parse(`${text}Z`) : new Date(text).getTime();
}

/** Time of day; with seconds for steps below a minute. */
export function clock(ms, stepMs = 1_000) {
  const parts = { hour: "2-digit", minute: "2-digit", ...(stepMs < MINUTE ? { second: "2-digit" } : {}) };
  return format(ms, { ...parts, hourCycle: "h23" });
}

export function day(ms) {
  return format(ms, { day: "numeric", month: "short" });
}

/** Day and time of day. */
export function moment(ms, stepMs = 1_000) {
  return `${format(ms, { day: "numeric", month: "short", year: "numeric" })}, ${clock(ms, stepMs)}`;
}

/** A range as text: "22 Nov 2026, 12:00 – 12:05"; a common day is written once. */
export function range(fromMs, toMs) {
  const step = toMs - fromMs < 10 * MINUTE ? 1_000 : MINUTE;
  if (toMs - fromMs >= 3 * DAY) return `${moment(fromMs, MINUTE)} – ${moment(toMs, MINUTE)}`;
  return `${moment(fromMs, step)} – ${day(fromMs) === day(toMs) ? clock(toMs, step) : moment(toMs, step)}`;
}

/** Labels of an axis: the time of day, and the day at its start or for steps of whole days. */
export function axis(times, apartMs) {
  let last = null;
  return times.map((ms) => {
    const date = day(ms);
    const isNew = date !== last;
    last = date;
    if (apartMs >= DAY) return date;
    return isNew ? `${clock(ms, apartMs)}\n${date}` : clock(ms, apartMs);
  });
}

function format(ms, parts) {
  return new Intl.DateTimeFormat("en-GB", { ...parts, ...(isUtc() ? { timeZone: "UTC" } : {}) }).format(ms);
}
