/** The search field: suggestions with links to pages. */

import * as api from "../api.js";
import { offer } from "../filter/field.js";
import { go, link } from "../route.js";
import { find } from "../thing/things.js";

const PAUSE_MS = 150; // debounce
const COUNT = 10;
const TITLES = { as: "AS" };

export function search(form) {
  const field = form.elements.what;
  let turn = 0;
  offer(field, async (text) => {
    const mine = ++turn;
    const typed = text.trim();
    if (typed === "") return null;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (mine !== turn) return null;
    const { rows } = await api.search({ q: typed, n: COUNT });
    return { from: 0, options: rows.map(option) };
  }, "suggestions");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const typed = field.value.trim();
    turn++;
    if (typed === "") return;
    const rows = await api.search({ q: typed, n: 1 }).then((result) => result.rows, () => []);
    field.value = "";
    field.dispatchEvent(new Event("input")); // closes the suggestions
    go(rows[0]?.page ?? link(...find(typed)));
  });
}

function option({ kind, text, detail, page }) {
  return { text, href: page, label: [text, detail, TITLES[kind] ?? kind].filter((part) => part !== "").join(" · ") };
}
