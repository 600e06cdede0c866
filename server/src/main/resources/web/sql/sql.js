/** SQL page: a query, its rows as a table and a chart, its plan, and the database's errors. */

import * as api from "../api.js";
import { button, element, table, wide } from "../element.js";
import { matching, word } from "../filter/complete.js";
import { offer } from "../filter/field.js";
import { whole } from "../format.js";
import { go, link } from "../route.js";
import * as schema from "../schema.js";
import * as history from "./history.js";
import { chartOf } from "./result.js";
import { Plot } from "../chart/plot.js";
import { choices } from "../dimensions.js";
import { value } from "../values/value.js";
import { view as viewOf } from "../view.js";

export const title = "SQL";

const NUMBERS = new Set(["integer", "real", "decimal"]);
const FIRST = `SELECT src_as, sum(bytes * sampling_rate) AS bytes
FROM flows GROUP BY ALL ORDER BY bytes DESC LIMIT 10`;
const WORDS = ["SELECT", "FROM", "WHERE", "GROUP BY ALL", "ORDER BY", "LIMIT", "DESC", "count(*)", "sum(", "avg(", "max(", "min(", "time_bucket(INTERVAL 1 MINUTE, time)", "INTERVAL", "BETWEEN"];

/** The line at a position of a query with a caret below it, for a fixed-width font. */
export function pointAt(query, position) {
  const at = Math.min(position, query.length);
  const start = query.slice(0, at).lastIndexOf("\n") + 1;
  const end = query.indexOf("\n", at);
  const line = query.slice(start, end < 0 ? query.length : end);
  const number = query.slice(0, start).split("\n").length;
  const before = line.slice(0, at - start).replace(/[^\t]/g, " ");
  return `line ${number}:\n${line}\n${before}^`;
}

export function open(place) {
  const box = element("textarea", { name: "sql", rows: "6", spellcheck: "false", autocomplete: "off", autocapitalize: "none", "aria-label": "Query" });
  const run = button("Run", () => execute(box.value), { title: "Ctrl+Enter" });
  const plan = button("Plan", () => execute(`EXPLAIN ${box.value.replace(/;\s*$/, "")}`, false), { class: "quiet" });
  const before = element("select", { "aria-label": "Query history" });
  const note = element("output", { class: "source" });
  const error = element("pre", { class: "problem", role: "alert", hidden: "" });
  const figure = element("div", { class: "plot", hidden: "", role: "img", "aria-label": "Chart of the result" });
  const result = wide("Result");
  const plot = new Plot(figure, { onZoom: () => {}, onPick: () => {} });
  const editor = element("div", { class: "filter-box" }, box);
  offer(box, suggest);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      execute(box.value);
    }
  });
  before.addEventListener("change", () => {
    box.value = before.value;
    box.focus();
  });
  place.append(
    element("h2", { class: "hidden" }, title),
    element(
      "section",
      { "aria-label": "Query" },
      editor,
      element("div", { class: "controls" }, run, plan, before, element("span", { class: "source" }, "Ctrl+Enter to run")),
      error,
      note,
    ),
    element("section", { "aria-label": "Rows" }, figure, result),
  );
  remember();

  function remember() {
    const options = history.all().map((query) => element("option", { value: query }, query.replace(/\s+/g, " ").slice(0, 80)));
    before.replaceChildren(element("option", { value: "" }, "History…"), ...options);
  }

  async function execute(query, isKept = true) {
    run.disabled = true;
    note.textContent = "running";
    error.hidden = true;
    box.removeAttribute("aria-invalid");
    try {
      const response = await api.sql(query, null);
      const more = response.truncated ? " (there are more)" : "";
      note.textContent = `${whole(response.rows.length)} rows${more} in ${whole(response.elapsed_ms)} ms${response.rows_from ? `; flows has rows since ${response.rows_from}` : ""}`;
      result.replaceChildren(isKept ? rowsOf(response, choices(await schema.columns())) : planOf(response));
      if (isKept) showSource(query, note.textContent);
      const chart = isKept ? chartOf(response) : null;
      figure.hidden = chart == null;
      if (chart) plot.draw(chart, "lines", "", 240);
      if (isKept) {
        history.add(query);
        remember();
        go(link("sql", [], { q: query }), true);
      }
    } catch (failure) {
      note.textContent = "";
      error.textContent = failure.message;
      box.setAttribute("aria-invalid", "true");
      if (failure.position != null) {
        error.textContent += `\n\n${pointAt(query, failure.position)}`;
        box.focus();
        if (isKept) box.setSelectionRange(failure.position, failure.position + 1);
      }
      error.hidden = false;
    } finally {
      run.disabled = false;
    }
  }

  /** Shows the source of a result, taken from the plan, which some queries do not have. */
  async function showSource(query, shown) {
    const { columns, rows } = await api.sql(`EXPLAIN ${query.replace(/;\s*$/, "")}`, null).catch(() => ({ columns: [], rows: [] }));
    if (note.textContent !== shown || columns.length === 0) return;
    const source = rows.find(([name]) => name === "answered_from")?.[1] ?? "rows";
    note.textContent = `${shown}; from ${source}`;
  }

  return {
    update(query) {
      const text = query.get("q") ?? history.all()[0] ?? FIRST;
      if (box.value !== text) {
        box.value = text;
        if (query.has("q")) execute(text);
      }
    },
    close: () => plot.close(),
  };
}

async function suggest(text, cursor) {
  const typed = word(text, cursor);
  if (!typed || typed.typed.length < 2) return null;
  const tables = await schema.tables();
  const named = Object.keys(tables).filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  const columns = (named.length > 0 ? named : ["flows"]).flatMap((name) => Object.keys(tables[name] ?? {}));
  const names = [...new Set([...columns, ...Object.keys(tables), ...WORDS])];
  return { from: typed.from, options: matching(names, typed.typed).filter((name) => name !== typed.typed).map((name) => ({ text: name })) };
}

function planOf(response) {
  return element("pre", { class: "plan" }, response.rows.map((row) => row.at(-1)).join("\n"));
}

/** The cells of a row; values of columns of flows are clickable. */
function rowsOf(response, dimensions) {
  const view = viewOf(new URLSearchParams());
  const names = response.columns.map(({ name }) => name);
  const numeric = new Set(response.columns.flatMap((column, i) => (NUMBERS.has(column.kind) ? [i] : [])));
  const rows = response.rows.map((row) => {
    const others = Object.fromEntries(names.map((name, i) => [name, row[i] == null ? null : String(row[i])]));
    return row.map((each, i) => {
      const side = numeric.has(i) ? "number" : "";
      if (each === null) return element("td", { class: `null ${side}` }, "NULL");
      const isKnown = dimensions.includes(names[i]);
      return element("td", { class: side }, isKnown ? value(names[i], String(each), String(each), others, view) : String(each));
    });
  });
  return table("", response.columns.map((column) => column.name), rows, numeric);
}
