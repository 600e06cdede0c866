/** Advice on the jobs, as printed by `millrace advise`. */

import { element } from "../element.js";
import { whole } from "../format.js";

/**
 * Elements of the advice, busiest step first. Spare subtasks are omitted, as the load may rise. Null if the jobs run on a
 * cluster.
 */
export function advice(result) {
  if (result == null) return [element("p", {}, "For jobs on a cluster run millrace advise --jobmanager.")];
  const steps = result.steps.filter(({ noteworthy, verdict }) => noteworthy && verdict !== "LESS").sort((a, b) => (b.busiest ?? 0) - (a.busiest ?? 0));
  const items = [...steps.map(sentence), ...result.notes].map((each) => element("li", {}, each));
  return [items.length > 0 ? element("ul", { class: "advice" }, ...items) : element("p", {}, "None: every step has sufficient resources.")];
}

function sentence({ job, step, verdict, parallelism, suggested, reason }) {
  const change = verdict === "KEEP" ? "" : `${whole(suggested)} subtasks instead of ${whole(parallelism)}: `;
  return `Job ${job}, “${step}”: ${change}${reason}.`;
}
