/** How each pipeline is doing, and the sections of those that have a module of their own. */

import * as api from "../api.js";
import { element, table } from "../element.js";
import { short, whole } from "../format.js";
import { repeat } from "../repeat.js";

const PAUSE_MS = 1_000;
const sections = new Set(); // names of pipelines whose section is there

/** The cells of a row: name, state, rows in, rows stored, lag, figures. */
export function cells(pipeline) {
  const figures = Object.entries(pipeline.figures);
  return [
    pipeline.name,
    pipeline.state,
    `${short(pipeline.rows_in_rate)}/s`,
    `${short(pipeline.rows_stored_rate)}/s`,
    whole(pipeline.lag_batches),
    figures.map(([name, count]) => `${name.replaceAll("_", " ")} ${whole(count)}`).join(", "),
  ];
}

export async function refresh() {
  let pipelines;
  try {
    pipelines = (await api.status()).pipelines;
  } catch {
    return; // the figures above say so
  }
  const headings = ["Pipeline", "State", "Rows in", "Rows stored", "Lag, batches", "Counts"];
  const rows = table(null, headings, pipelines.map(cells), new Set([2, 3, 4]));
  document.getElementById("pipelines-table").replaceChildren(rows);
  for (const { name, page } of pipelines) {
    if (page != null && !sections.has(name)) {
      sections.add(name);
      add(name, await import(`../${page}`));
    }
  }
}

/** A section that the module fills: it exports `title`, and `refresh`, which is given the place. */
function add(name, module) {
  const place = element("div");
  const heading = element("h2", { id: `${name}-title` }, module.title);
  const section = element("section", { id: name, "aria-labelledby": `${name}-title` }, heading, place);
  document.getElementById("pipelines").before(section);
  document.getElementById("to-pipelines").before(element("a", { href: `#${name}` }, module.title), " ");
  repeat(async () => {
    try {
      await module.refresh(place);
    } catch (failure) {
      place.replaceChildren(element("p", { class: "problem" }, failure.message));
    }
  }, PAUSE_MS);
}
