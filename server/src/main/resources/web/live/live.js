/** The figures of this second and the chart of the last minutes. */

import * as api from "../api.js";
import { element } from "../element.js";
import { duration, short, whole } from "../format.js";
import { draw } from "./chart.js";

/** What stands above the chart: pairs of name and text. */
export function figures(status) {
  return [
    ["Samples in", `${short(status.samples_in_rate)}/s`],
    ["Rows stored", `${short(status.rows_stored_rate)}/s`],
    ["Lag", `${duration(status.lag_ms)}, ${whole(status.lag_batches)} batches`],
    ["Freshness", duration(status.freshness_ms)],
    ["Rows in all", short(status.rows)],
  ];
}

export async function refresh() {
  const state = document.getElementById("state");
  try {
    const status = await api.status();
    say(state, `${status.state}, up ${duration(status.uptime_ms)}`);
    const pairs = figures(status).map(([name, text]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, text)),
    );
    document.getElementById("figures").replaceChildren(...pairs);
    showProblems(status.problems ?? []);
    draw(document.getElementById("chart"), status.traffic);
  } catch (failure) {
    say(state, "not connected");
    showProblems([failure.message]);
  }
}

/** A live region is spoken when it changes, so only its real changes are written. */
function showProblems(problems) {
  const list = document.getElementById("problems");
  const shown = [...list.children].map((item) => item.textContent);
  if (shown.join("\n") !== problems.join("\n")) {
    list.replaceChildren(...problems.map((problem) => element("li", {}, problem)));
  }
}

function say(output, text) {
  if (output.textContent !== text) {
    output.textContent = text;
  }
}
