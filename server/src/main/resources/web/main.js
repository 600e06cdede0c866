/** Routes the URL to a page, refreshes it while it is visible, and updates the header. */

import * as alerts from "./alerts/alerts.js";
import * as api from "./api.js";
import { element } from "./element.js";
import * as explore from "./explore/explore.js";
import { duration } from "./format.js";
import * as now from "./now/now.js";
import * as pipelines from "./pipelines/pipelines.js";
import { repeat } from "./repeat.js";
import { read } from "./route.js";
import { search } from "./search/search.js";
import * as sources from "./sources/sources.js";
import * as sql from "./sql/sql.js";
import * as thing from "./thing/thing.js";
import { KINDS } from "./thing/things.js";
import * as time from "./time.js";

const PAGES = { now, explore, alerts, sql, pipelines, sources, ...Object.fromEntries(Object.keys(KINDS).map((name) => [name, thing])) };
const STATE_MS = 2_000;

const main = document.getElementById("page");
let shown = null; // {name, page}
let generation = 0;

function show() {
  const route = read();
  const name = [route.page, ...route.things].join("/");
  if (shown?.name !== name) {
    shown?.page.close?.();
    main.replaceChildren();
    const module = PAGES[route.page];
    if (module == null || (KINDS[route.page] && route.things.length === 0)) {
      shown = null;
      generation++;
      main.replaceChildren(element("p", {}, "Page not found. ", element("a", { href: "#now" }, "Go to the overview.")));
      return;
    }
    const page = module.open(main, route);
    shown = { name, page };
    document.title = `${page.title ?? module.title} – Millrace`;
    again(page, ++generation);
    scrollTo(0, 0);
  }
  for (const each of document.querySelectorAll("nav a")) {
    if (each.hash.slice(1) === route.page) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  shown.page.update(route.query, route);
}

/** Refreshes periodically until another page is shown. */
function again(page, mine) {
  if (!page.refresh) return;
  setTimeout(() => repeat(async () => mine === generation && (await page.refresh(), mine === generation), page.pauseMs), page.pauseMs);
}

async function state() {
  const said = document.getElementById("state");
  try {
    const status = await api.status();
    said.textContent = `${status.state}, up ${duration(status.uptime_ms)}`;
  } catch {
    said.textContent = "not connected";
  }
}

function head() {
  const utc = document.getElementById("utc");
  utc.checked = time.isUtc();
  utc.addEventListener("change", () => {
    time.setUtc(utc.checked);
    shown?.page.close?.();
    shown = null;
    show();
  });
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault(); // its target is not a page
    main.focus();
  });
  search(document.getElementById("find"));
}

addEventListener("hashchange", show);
head();
show();
repeat(state, STATE_MS);
