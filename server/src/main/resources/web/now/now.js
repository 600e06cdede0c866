/** Overview: health, current traffic, and its largest groups. */

import { marksOf } from "../alerts/marks.js";
import * as api from "../api.js";
import { Plot } from "../chart/plot.js";
import * as dimensions from "../dimensions.js";
import { element, select } from "../element.js";
import { duration, percent, short, whole } from "../format.js";
import { inTurns } from "../repeat.js";
import { go, link } from "../route.js";
import * as schema from "../schema.js";
import * as time from "../time.js";
import { groups, refill } from "../values/groups.js";
import * as menu from "../values/menu.js";
import { awaited } from "../values/progress.js";
import { entries } from "../values/value.js";
import { seriesParameters, between, MEASURES, query, totals, view as viewOf, WINDOWS } from "../view.js";
import { directions } from "./directions.js";
import { empty } from "./empty.js";
import { sections } from "./sections.js";

export const title = "Now";

const POINTS = 180;
const LIST_POINTS = 48;
const COUNT = 8;
const STATUS_MS = 1_000;

/** Lists of groups: a heading and its dimensions, of which the first is the default. */
const LISTS = [
  ["AS", [["src_as"], ["dst_as"], ["src_as", "dst_as"]]],
  ["Members", [["src_member", "dst_member"], ["src_member"], ["dst_member"]]],
  ["Domains", [["src_domain"], ["dst_domain"], ["src_domain", "dst_domain"]]],
  ["Addresses", [["src_addr"], ["dst_addr"], ["src_addr", "dst_addr"]]],
  ["Ports", [["dst_port"], ["src_port"], ["src_port", "dst_port"], ["proto", "dst_port"]]],
  ["Interfaces", [["exporter", "in_if"], ["exporter", "out_if"], ["exporter", "in_if", "out_if"], ["exporter"]]],
  ["Protocols", [["proto"], ["direction"]]],
];

export function open(place) {
  let view = null;
  let result = null;
  let turn = 0;
  const show = (next) => go(link("now", [], { ...query({ ...next, filter: "" }), by: next.by.join(",") }), true);
  const figures = element("dl", { class: "figures" });
  const problems = element("ul", { class: "problems", "aria-live": "polite" });
  const welcome = element("div");
  const figure = element("div", { class: "plot", role: "group", "aria-label": "Traffic over time: + and − zoom in time, arrows move it" });
  const heading = element("p", { class: "range" });
  const form = element("form", { class: "controls" });
  const lists = element("div", { class: "lists" });
  const unusual = element("div", { class: "lists" });
  const plot = new Plot(figure, {
    onZoom: (from, to) => go(link("explore", [], query(between(view, from, to)))),
    onPick: (group, from, to, at) => menu.open(at, `${group ? `${group.label[0]}, ` : ""}${time.range(from, to)}`, actions(group, from, to)),
  });
  const marks = marksOf(plot);
  const traffic = element("section", { "aria-label": "Traffic" }, form, heading, figure);
  const boxes = LISTS.map(([name, choices]) => list(name, choices, () => view));
  const crossing = directions(() => view);
  const extras = sections(unusual);
  lists.append(...boxes.map((box) => box.section));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => {
    const data = new FormData(form);
    show({ ...view, by: data.get("by").split(","), measure: data.get("measure"), last: data.get("last") });
  });
  place.append(
    element("h2", { class: "hidden" }, title),
    element("section", { "aria-label": "State" }, problems, figures),
    welcome,
    traffic,
    crossing.section,
    unusual,
    lists,
  );

  function actions(group, from, to) {
    const minute = { text: `Explore ${time.range(from, to)}`, href: link("explore", [], query(between(view, from, to))) };
    return group ? [...entries(view.by[0], group.key[0], {}, view), minute] : [minute];
  }

  async function controls() {
    const columns = await schema.columns().catch(() => view.by);
    const list = dimensions.choices(columns).map((name) => [name, dimensions.title(name)]);
    const windows = Object.entries(WINDOWS).filter(([name]) => !name.endsWith("0d") && name !== "365d");
    form.replaceChildren(
      select("by", "By", list, view.by[0]),
      select("measure", "in", Object.entries(MEASURES), view.measure),
      select("last", "over the last", windows, view.last),
      element("a", { href: link("explore", [], query(view)) }, "Explore"),
    );
  }

  async function refresh() {
    const mine = ++turn;
    try {
      const got = await awaited(traffic, api.series(seriesParameters({ ...view, n: 10 }, POINTS)));
      if (mine !== turn) return;
      result = got;
      heading.textContent = `${totals(result, view, " · ")}${time.range(Date.parse(result.from), Date.parse(result.to))} · ${time.zone()}`;
      if (result.times.length > 0) plot.draw(result, "area", MEASURES[view.measure], 260);
      marks(result);
      const columns = await schema.columns();
      await inTurns([crossing, ...boxes], (box) => (mine === turn ? box.refresh(columns) : null));
    } catch (failure) {
      if (mine === turn) heading.textContent = failure.message;
    }
  }

  const states = setInterval(state, STATUS_MS);
  let isAsking = false;
  async function state() {
    if (document.hidden || isAsking) return;
    isAsking = true;
    try {
      const status = await api.status();
      const shown = [
        ["Ingest rate", `${short(status.samples_in_rate)}/s`],
        ["Stored", `${short(status.rows_stored_rate)}/s`],
        ["Newest row", status.freshness_ms == null ? "none yet" : `${duration(status.freshness_ms)} old`],
        ["Lag", status.lag_batches == null ? "–" : `${whole(status.lag_batches)} batches`],
        ["Lost", loss(status)],
        ["Total rows", short(status.rows)],
      ];
      figures.replaceChildren(...shown.map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text))));
      say(status.problems ?? []);
      await empty(welcome, status);
      await extras(status.pipelines);
    } catch (failure) {
      say([failure.message]);
    } finally {
      isAsking = false;
    }
  }

  /** Writes only changes, because screen readers read a live region aloud when it changes. */
  function say(texts) {
    const said = [...problems.children].map((item) => item.textContent);
    if (said.join("\n") !== texts.join("\n")) {
      problems.replaceChildren(...texts.map((text) => element("li", {}, text)));
    }
  }

  state();
  return {
    async update(query) {
      view = { ...viewOf(query, { last: "15m" }), filter: "" };
      if (view.last == null) view.last = "15m";
      await controls();
      await refresh();
    },
    refresh,
    pauseMs: 5_000,
    close() {
      clearInterval(states);
      crossing.close();
      plot.close();
    },
  };
}

/** Share of all datagrams ever sent that did not reach the log. */
function loss({ datagrams_sent: sent, datagrams_lost: lost }) {
  return lost > 0 ? `${percent(lost, sent)}, ${short(lost)} datagrams` : "nothing";
}

/** A list with a choice of dimensions: {section, refresh}. */
function list(name, choices, viewNow) {
  const place = element("div");
  const text = (by) => by.map(dimensions.title).join(" → ");
  const choice = element("select", { "aria-label": `${name} by` }, ...choices.map((by) => element("option", { value: by.join(",") }, text(by))));
  const section = element("section", {}, element("div", { class: "list-head" }, element("h3", {}, name), choice), place);
  let columns = [];
  async function refresh(known = columns) {
    columns = known;
    const possible = choices.filter((by) => by.every((column) => columns.includes(column)));
    section.hidden = possible.length === 0;
    if (section.hidden) return;
    const by = choice.value.split(",");
    const view = { ...viewNow(), by, n: COUNT, filter: "" };
    try {
      const result = await awaited(section, api.series(seriesParameters(view, LIST_POINTS)));
      if (choice.value === by.join(",")) refill(place, groups(null, result, view));
    } catch (failure) {
      place.replaceChildren(element("p", { class: "problem" }, failure.message));
    }
  }
  choice.addEventListener("change", () => refresh());
  return { section, refresh };
}
