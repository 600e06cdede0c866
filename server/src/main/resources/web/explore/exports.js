/** Takes a view along: as CSV, PNG, SQL, or its filter. */

import * as api from "../api.js";
import { toClipboard } from "../clipboard.js";
import { button, element } from "../element.js";
import * as menu from "../values/menu.js";
import { csv, sqlOf } from "./forms.js";
import { png } from "./png.js";

/** A button with a menu; `now` gives the view, the answer and the place of the chart. */
export function exports(now) {
  const said = element("output", { class: "source" });
  const copy = async (text) => {
    await toClipboard(text);
    said.textContent = text;
  };
  const at = button("Take along", () =>
    menu.open(at, "Take along", [
      { text: "Table as CSV", action: () => save(new Blob([csv(now.answer(), now.view().by)], { type: "text/csv" }), "millrace.csv") },
      { text: "Chart as PNG", action: async () => save(await png(now.place(), now.answer()), "millrace.png") },
      { text: "Copy as SQL", action: async () => copy(sqlOf(now.view(), now.answer(), await condition(now.view()))) },
      { text: "Copy the filter", action: () => copy(now.view().filter) },
      { text: "Copy the address", action: () => copy(location.href) },
    ]),
  );
  return element("span", { class: "exports" }, at, said);
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
