/** Details page of a thing, such as an address or interface: traffic over time, peers, breakdowns, first and last seen. */

import { isAbout, marksOf } from "../alerts/marks.js";
import * as api from "../api.js";
import { colors } from "../chart/colors.js";
import { Plot } from "../chart/plot.js";
import { element, select } from "../element.js";
import { TOO_FEW } from "../estimates.js";
import { estimated, short, whole } from "../format.js";
import { inTurns } from "../repeat.js";
import { go, link } from "../route.js";
import * as schema from "../schema.js";
import * as time from "../time.js";
import { groups, refill, swatch } from "../values/groups.js";
import * as menu from "../values/menu.js";
import { awaited } from "../values/progress.js";
import { value } from "../values/value.js";
import { windowParts } from "../values/window.js";
import { seriesParameters, between, query, RATES, view as viewOf } from "../view.js";
import { countedLines, countedText, percentilesText } from "./counters.js";
import { servicesOnly } from "./services.js";
import { KINDS, SERVICES } from "./things.js";

const POINTS = 180;
const LIST_POINTS = 48;
const COUNT = 8;

export function open(place, route) {
  const { page, things } = route;
  const kind = KINDS[page];
  const name = things.join(" ");
  const asks = kind.of(things);
  let view = null;
  let result = null;
  let turn = 0;
  const show = (next) => go(link(page, things, { ...query(next), by: null, filter: null }));
  const subtitle = element("p", { class: "source" });
  const counted = element("p", { class: "source" });
  const heading = element("p", { class: "range" });
  const problem = element("p", { class: "problem", role: "alert", hidden: "" });
  const figure = element("div", { class: "plot", role: "group", "aria-label": "Traffic over time: + and − zoom in time, arrows move it" });
  const form = element("form", { class: "controls" });
  const boxes = asks.lists.map(([title, filter, by, kindOf]) => box(title, filter, by, kindOf === SERVICES));
  const window = windowParts(current, show);
  const plot = new Plot(figure, {
    onZoom: (from, to) => show(between(view, from, to)),
    onPick: (group, from, to, at) =>
      menu.open(at, time.range(from, to), [
        { text: `Zoom to ${time.range(from, to)}`, href: link(page, things, { ...query(between(view, from, to)), by: null }) },
        { text: "Explore", href: explored(between(view, from, to), asks.out.filter, asks.out.by) },
      ]),
  });
  const marks = marksOf(plot, (alert) => isAbout(alert, page, things), things[0]);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => event.target.name === "measure" && show({ ...view, measure: event.target.value }));
  const traffic = element("section", { "aria-label": "Traffic" }, form, problem, heading, figure, counted);
  const heads = element("div", { class: "thing-head" }, element("h2", {}, `${kind.title} ${name}`), subtitle);
  place.append(
    heads,
    traffic,
    element("div", { class: "lists" }, ...boxes.map(({ section }) => section)),
  );
  let isTold = false;

  function current() {
    return { view, fromMs: result ? Date.parse(result.from) : Date.now() - 3_600_000, toMs: result ? Date.parse(result.to) : Date.now() };
  }

  function explored(view, filter, by) {
    return link("explore", [], query({ ...view, by, filter }));
  }

  /** Its names, if reported or configured. */
  async function named() {
    const names = await asks.names().catch(() => []);
    const parts = names.flatMap(({ dimension, key, text }, i) => [i === 0 ? "" : " · ", value(dimension, String(key), text, {}, view)]);
    if (parts.length > 0) heads.append(element("p", { class: "called" }, ...parts));
  }

  /** Shows when the retained rows first and last contain the thing. */
  async function seen() {
    try {
      const filters = [asks.out, asks.into].filter(Boolean).map(({ filter }) => `(${filter})`);
      const condition = (await api.filter(filters.join(" OR "))).sql;
      const { rows } = await api.sql(`SELECT epoch_ms(min(time)), epoch_ms(max(time)), count(*) FROM flows WHERE ${condition}`);
      const [first, last, count] = rows[0];
      subtitle.textContent =
        Number(count) === 0
          ? "Not seen in the retained rows."
          : `First seen ${time.moment(Number(first))}, last ${time.moment(Number(last))}, in ${whole(Number(count))} rows.`;
    } catch (failure) {
      subtitle.textContent = failure.message;
    }
  }

  async function refresh() {
    const mine = ++turn;
    try {
      const sides = [asks.out, asks.into].map((side) => side && api.series(seriesParameters({ ...view, by: side.by, filter: side.filter, n: 1 }, POINTS)));
      const [out, into] = await awaited(traffic, Promise.all(sides));
      const lines = asks.counters ? await countedLines(asks.counters, out) : [];
      if (mine !== turn) return;
      result = together(out, into, asks, lines);
      problem.hidden = true;
      const paint = colors(result.groups.length);
      const legend = result.groups.flatMap((group, i) => [swatch(paint[i]), `${group.label[0]}: ${group.isVague ? TOO_FEW : `${short(group.average, RATES[view.measure])} on average`} · `]);
      const facts = [estimated(out.total), time.range(Date.parse(result.from), Date.parse(result.to)), time.zone()];
      heading.replaceChildren(...legend, facts.filter(Boolean).join(" · "));
      counted.textContent = asks.counters ? countedText(result) : "";
      if (asks.counters) percentiles(result, counted.textContent, mine);
      if (result.times.length > 0) plot.draw(result, "lines", RATES[view.measure], 240);
      marks(result);
    } catch (failure) {
      if (mine !== turn) return;
      problem.hidden = false;
      problem.textContent = failure.message;
      return;
    }
    const columns = await schema.columns();
    await inTurns(boxes, (each) => (mine === turn ? each.refresh(columns) : null));
  }

  /** Adds percentiles, which for long time ranges take longer than the chart. */
  async function percentiles(shown, text, mine) {
    const found = await percentilesText(asks.counters, shown).catch(() => "");
    if (mine === turn && found !== "") counted.textContent = `${text} ${found}`;
  }

  function box(title, filterOf, by, isServices) {
    const inside = element("div");
    const more = element("a", {}, "Explore");
    const section = element("section", {}, element("div", { class: "list-head" }, element("h3", {}, title), more), inside);
    async function refresh(columns) {
      section.hidden = !by.every((column) => columns.includes(column));
      if (section.hidden) return;
      let filter = filterOf;
      if (isServices) {
        try {
          filter = await awaited(section, servicesOnly(filterOf, result));
        } catch (failure) {
          inside.replaceChildren(element("p", { class: "problem" }, failure.message));
          return;
        }
        more.hidden = filter == null;
        if (filter == null) {
          refill(inside, element("p", {}, "No rows in this time range."));
          return;
        }
      }
      const wanted = { ...view, by, filter, n: COUNT };
      more.href = explored(view, filter, by);
      more.setAttribute("aria-label", `Explore: ${title}`);
      try {
        refill(inside, groups(null, await awaited(section, api.series(seriesParameters(wanted, LIST_POINTS))), wanted));
      } catch (failure) {
        inside.replaceChildren(element("p", { class: "problem" }, failure.message));
      }
    }
    return { section, refresh };
  }

  return {
    title: `${kind.title} ${name}`,
    async update(query) {
      const said = viewOf(query);
      view = { ...said, filter: "", measure: said.measure in RATES ? said.measure : "bits" };
      form.replaceChildren(select("measure", "In", Object.entries(RATES), view.measure), ...window.parts);
      window.show(view);
      await refresh();
      if (isTold) return;
      isTold = true;
      if (asks.names) named();
      seen(); // slow, so after the chart
    },
    refresh: () => (view?.last != null ? refresh() : undefined),
    pauseMs: 5_000,
    close: () => plot.close(),
  };
}

/** Both directions as groups of one result, followed by more lines. */
function together(out, into, asks, lines) {
  const group = (side, result) => ({ key: [side.name], label: [side.name], ...result.total });
  const groups = [group(asks.out, out), ...(into ? [group(asks.into, into)] : []), ...lines];
  return { ...out, groups, others: null, previous: null };
}
