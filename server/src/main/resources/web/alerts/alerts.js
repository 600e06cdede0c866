/** History of alerts: heavy hitters, changes and trends, each once. */

import * as api from "../api.js";
import { element, select, table, wide } from "../element.js";
import { percent, short } from "../format.js";
import { go, link } from "../route.js";
import * as time from "../time.js";
import { keyCell } from "../values/keys.js";
import { refill } from "../values/groups.js";
import { awaited } from "../values/progress.js";
import { windowParts } from "../values/window.js";
import { between, lengthMs, view as viewOf } from "../view.js";

export const title = "Alerts";

const COUNT = 200;
const KINDS = { "": "all", hitter: "heavy hitters", changer: "changes", trend: "trends" };

const one = (kind) => KINDS[kind]?.replace(/s$/, "") ?? kind;

/** Text of an alert: "heavy hitter, destination 192.0.2.1". */
export function called({ kind, by, key }) {
  return `${one(kind)}, ${by} ${key}`;
}

/** A value in the unit of an alert. */
export function amount(value, { measure }) {
  return measure === "bytes" ? short(value, "B") : short(value);
}

export function open(place) {
  let view = null;
  let kind = "";
  let key = "";
  let turn = 0;
  const show = (next, more = {}) => go(link("alerts", [], { last: next.last, from: next.from, to: next.to, kind, key, ...more }));
  const form = element("form", { class: "controls" });
  const heading = element("p", { class: "range", role: "status" });
  const inside = element("div");
  const section = element("section", { "aria-label": title }, form, heading, wide("Alerts, as a table", inside));
  const window = windowParts(() => ({ view, fromMs: fromMs(), toMs: toMs() }), show);
  form.addEventListener("submit", (event) => event.preventDefault());
  place.append(element("h2", { class: "hidden" }, title), section);

  const toMs = () => (view.to ? Date.parse(view.to) : Date.now());
  const fromMs = () => (view.from ? Date.parse(view.from) : toMs() - lengthMs(view));

  function controls() {
    const kinds = select("kind", "Kind", Object.entries(KINDS), kind);
    const field = element("input", { name: "key", type: "search", value: key, placeholder: "192.0.2.1", spellcheck: "false", autocomplete: "off" });
    kinds.addEventListener("change", (event) => show(view, { kind: event.target.value }));
    field.addEventListener("change", () => show(view, { key: field.value.trim() }));
    form.replaceChildren(kinds, element("label", {}, "Key contains ", field), ...window.parts);
    window.show(view);
  }

  function cells(row) {
    const first = Date.parse(row.first_seen);
    const last = Date.parse(row.last_seen);
    return [
      element("span", { class: "word" }, one(row.kind)),
      element("span", { class: "word" }, row.by),
      keyCell(row.by, row.key, between(viewOf(new URLSearchParams()), first, last)),
      time.moment(first),
      row.ongoing ? "ongoing" : time.moment(last),
      amount(row.peak, row),
      row.baseline == null ? "" : amount(row.baseline, row),
      row.share == null ? "" : percent(row.share, 1),
      element("a", { href: row.page }, row.page.startsWith("#explore") ? "Explore" : "Time"),
    ];
  }

  async function refresh() {
    const mine = ++turn;
    try {
      const result = await awaited(section, api.alerts({ last: view.last, from: view.from, to: view.to, kind, key, n: COUNT }));
      if (mine !== turn) return;
      const most = result.rows.length === COUNT ? `the newest ${COUNT} · ` : "";
      heading.textContent = `${most}${time.range(Date.parse(result.from), Date.parse(result.to))} · ${time.zone()}`;
      if (result.rows.length === 0) {
        inside.replaceChildren(element("p", {}, result.note || "No alerts in this time range."));
        return;
      }
      const headings = ["Kind", "By", "Key", "First seen", "Last seen", "Peak", "Baseline", "Share", ""];
      refill(inside, table("", headings, result.rows.map(cells), new Set([5, 6, 7])));
    } catch (failure) {
      if (mine === turn) heading.textContent = failure.message;
    }
  }

  return {
    pauseMs: 5_000,
    refresh,
    update(query) {
      view = viewOf(query, { last: "1d" });
      kind = query.get("kind") in KINDS ? query.get("kind") : "";
      key = query.get("key") ?? "";
      controls();
      refresh();
    },
  };
}
