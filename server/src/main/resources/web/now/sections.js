/** Sections of pipelines with a console module (API.md). */

import { element, wide } from "../element.js";
import { repeat } from "../repeat.js";

const PAUSE_MS = 1_000;

/** Returns a function that adds a section for each new pipeline with a module. */
export function sections(place) {
  const shown = new Set();
  return async (pipelines) => {
    for (const { name, page } of pipelines) {
      if (page == null || shown.has(name)) continue;
      shown.add(name);
      add(place, name, await import(`../${page}`));
    }
  };
}

/** The module exports `title`, and `refresh`, which receives the container. */
function add(place, name, module) {
  const inside = wide(`${module.title}, as a table`);
  const heading = element("h3", { id: `${name}-title` }, module.title);
  place.append(element("section", { id: name, "aria-labelledby": `${name}-title` }, heading, inside));
  repeat(async () => {
    try {
      await module.refresh(inside);
    } catch (failure) {
      inside.replaceChildren(element("p", { class: "problem" }, failure.message));
    }
    return inside.isConnected;
  }, PAUSE_MS);
}
