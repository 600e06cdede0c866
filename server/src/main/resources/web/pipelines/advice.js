/** What to do about the jobs, as `millrace advise` says it. */

import { element } from "../element.js";
import { whole } from "../format.js";

/**
 * Elements that say it, what is busiest first. Subtasks to spare are left out: at this load they are, and at another one they are
 * not. The answer is missing where the jobs run on a cluster of their own.
 */
export function advice(answer) {
  if (answer == null) return [element("p", {}, "millrace advise --jobmanager says it of a cluster of its own.")];
  const steps = answer.steps.filter(({ noteworthy, verdict }) => noteworthy && verdict !== "LESS").sort((a, b) => (b.busiest ?? 0) - (a.busiest ?? 0));
  const items = [...steps.map(sentence), ...answer.notes].map((each) => element("li", {}, each));
  return [items.length > 0 ? element("ul", { class: "advice" }, ...items) : element("p", {}, "Nothing: every step has what it needs.")];
}

function sentence({ job, step, verdict, parallelism, suggested, reason }) {
  const change = verdict === "KEEP" ? "" : `${whole(suggested)} subtasks in place of ${whole(parallelism)}: `;
  return `Job ${job}, “${step}”: ${change}${reason}.`;
}
