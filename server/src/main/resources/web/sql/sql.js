/** A query, its rows, and the database's own words where it is wrong. */

import * as api from "../api.js";
import { element, table } from "../element.js";
import { whole } from "../format.js";

const NUMBERS = new Set(["integer", "real", "decimal"]);

/** The line around a position of a query with a caret below it, for a fixed-width font. */
export function pointAt(query, position) {
  const at = Math.min(position, query.length);
  const start = query.slice(0, at).lastIndexOf("\n") + 1;
  const end = query.indexOf("\n", at);
  const line = query.slice(start, end < 0 ? query.length : end);
  const number = query.slice(0, start).split("\n").length;
  const before = line.slice(0, at - start).replace(/[^\t]/g, " ");
  return `line ${number}:\n${line}\n${before}^`;
}

export function start() {
  const form = document.getElementById("sql-form");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run(form);
  });
  document.getElementById("query").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
}

async function run(form) {
  const box = document.getElementById("query");
  const error = document.getElementById("sql-error");
  const note = document.getElementById("sql-note");
  const button = form.querySelector("button");
  const query = box.value;
  button.disabled = true;
  note.textContent = "running";
  error.hidden = true;
  box.removeAttribute("aria-invalid");
  try {
    const answer = await api.sql(query);
    document.getElementById("sql-result").replaceChildren(show(answer));
    const more = answer.truncated ? " (there are more)" : "";
    note.textContent = `${whole(answer.rows.length)} rows${more} in ${whole(answer.elapsed_ms)} ms`;
  } catch (failure) {
    note.textContent = "";
    error.textContent = failure.message;
    box.setAttribute("aria-invalid", "true");
    if (failure.position != null) {
      error.textContent += `\n\n${pointAt(query, failure.position)}`;
      box.focus();
      box.setSelectionRange(failure.position, failure.position + 1);
    }
    error.hidden = false;
  } finally {
    button.disabled = false;
  }
}

function show(answer) {
  const numeric = new Set(answer.columns.flatMap((column, i) => (NUMBERS.has(column.kind) ? [i] : [])));
  const rows = answer.rows.map((row) =>
    row.map((value, i) => {
      const side = numeric.has(i) ? "number" : "";
      return value === null
        ? element("td", { class: `null ${side}` }, "NULL")
        : element("td", { class: side }, String(value));
    }),
  );
  return table("", answer.columns.map((column) => column.name), rows, numeric);
}
