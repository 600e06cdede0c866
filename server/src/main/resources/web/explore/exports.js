/** Exports a view: as CSV, PNG, SQL, or its filter. */

import * as api from "../api.js";
import { toClipboard } from "../clipboard.js";
import * as dimensions from "../dimensions.js";
import { button, element } from "../element.js";
import { link } from "../route.js";
import { figures } from "../values/groups.js";
import * as menu from "../values/menu.js";
import { between, MEASURES, query } from "../view.js";
import { fileName, pointsCsv, spreadsheetCsv, sqlOf, tableCsv } from "./forms.js";
import { png } from "./png.js";

/** A button with a menu; `now` returns the view, the result and the chart's container. */
export function exports(now) {
  const said = element("output", { class: "source" });
  const copy = async (text) => {
    await toClipboard(text);
    said.textContent = text;
  };
  const table = () => figures(now.result(), now.view());
  const points = () => pointsCsv(now.result(), now.view().by.map(dimensions.title), MEASURES[now.view().measure]);
  const saved = (content, ending) => save(new Blob([content], { type: content.type ?? "text/csv" }), fileName(now.view(), now.result(), ending));
  const absolute = button("Copy absolute link", () => {
    const { from, to } = now.result();
    const address = link("explore", [], query(between(now.view(), Date.parse(from), Date.parse(to))));
    return copy(new URL(address, location.href).href);
  }, { class: "quiet", title: "Link to this time range instead of the latest" });
  const at = button("Export", () =>
    menu.open(at, "Export", [
      { text: "Table as CSV", action: () => saved(tableCsv(table()), "csv") },
      { text: "Table for spreadsheets", action: () => saved(spreadsheetCsv(table()), "csv") },
      { text: "Points of the chart as CSV", action: () => saved(points(), "points.csv") },
      { text: "Chart as PNG", action: async () => saved(await png(now.place(), now.result()), "png") },
      { text: "Copy as SQL", action: async () => copy(sqlOf(now.view(), now.result(), await condition(now.view()))) },
      { text: "Copy filter", action: () => copy(now.view().filter) },
      { text: "Copy link", action: () => copy(location.href) },
    ]),
  );
  return element("span", { class: "exports" }, at, absolute, said);
}

async function condition({ filter }) {
  return filter ? (await api.filter(filter)).sql : null;
}

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const made = element("a", { href: url, download: name });
  made.click();
  URL.revokeObjectURL(url);
}
