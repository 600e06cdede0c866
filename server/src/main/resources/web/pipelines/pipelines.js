/** Jobs: steps with rates and time shares, checkpoints, and CPU cores of each host. */

import * as api from "../api.js";
import { element, table, wide } from "../element.js";
import { duration, short, whole } from "../format.js";
import { spark } from "../values/spark.js";
import { advice } from "./advice.js";

export const title = "Pipelines";

/** The cells of a row: name, state, rows in, rows stored, lag, restarts, and non-zero counters. */
export function cells(pipeline) {
  const figures = Object.entries(pipeline.figures).filter(([, count]) => count > 0);
  return [
    pipeline.name,
    pipeline.state,
    `${short(pipeline.rows_in_rate)}/s`,
    `${short(pipeline.rows_stored_rate)}/s`,
    whole(pipeline.lag_batches),
    whole(pipeline.restarts),
    figures.map(([name, count]) => `${name.replaceAll("_", " ")} ${whole(count)}`).join(", "),
  ];
}

export function open(place) {
  const problem = element("p", { class: "problem", role: "alert", hidden: "" });
  const list = wide("Pipelines", "asking…");
  const todo = element("div");
  const jobs = element("div");
  const hosts = element("div");
  place.append(
    element("h2", { class: "hidden" }, title),
    problem,
    element("section", {}, element("h3", {}, "Pipelines"), list),
    element("section", { class: "todo" }, element("h3", {}, "Advice"), todo),
    jobs,
    hosts,
  );

  function show(status) {
    problem.hidden = true;
    const headings = ["Pipeline", "State", "Rows in", "Rows stored", "Lag, batches", "Restarts", "Counters"];
    list.replaceChildren(table(null, headings, status.pipelines.map(cells), new Set([2, 3, 4, 5])));
  }

  async function refresh() {
    try {
      const status = await api.cluster();
      const { cluster } = status;
      show(status);
      todo.replaceChildren(...advice(status.advice));
      jobs.replaceChildren(...(cluster?.jobs ?? []).map(job));
      hosts.replaceChildren(...(cluster?.hosts ?? []).map(host));
      if (!cluster) jobs.replaceChildren(element("p", {}, "The jobs run on a cluster; see millrace status --jobmanager."));
    } catch (failure) {
      problem.hidden = false;
      problem.textContent = failure.message;
    }
  }

  return {
    /** Requesting the steps takes a third of a second, so the rest is shown first. */
    async update() {
      await api.status().then(show, () => {});
      await refresh();
    },
    refresh,
    pauseMs: 2_000,
  };
}

function job(each) {
  const { checkpoints } = each;
  const last = checkpoints?.last;
  const kept = last
    ? `checkpoint ${last.id} took ${duration(last.duration_millis)}, ${short(last.bytes, "B")}, ${duration(last.age_millis)} ago; ${whole(checkpoints.completed)} completed, ${whole(checkpoints.failed)} failed`
    : "no checkpoint yet";
  const facts = `${each.state.toLowerCase()} · ${whole(each.restarts)} restarts · lag ${each.lag == null ? "unknown" : `${whole(each.lag)} log values`} · ${kept}`;
  return element(
    "section",
    {},
    element("h3", {}, `Job ${each.name}`),
    element("p", { class: "source" }, facts),
    each.failure ? element("p", { class: "problem" }, `Last failure: ${each.failure}`) : null,
    element("ol", { class: "graph" }, ...each.steps.map((step) => element("li", {}, stepBox(step, each.steps)))),
  );
}

function stepBox(step, steps) {
  const { load } = step;
  const rows = load.rows_in ?? load.records_in;
  const upstream = step.inputs.map((id) => steps.find((other) => other.id === id)?.name).filter(Boolean);
  return element(
    "div",
    { class: "step" },
    element("strong", {}, step.name),
    element("p", { class: "source" }, `${whole(step.parallelism)} subtasks${upstream.length > 0 ? ` · input from ${upstream.join(", ")}` : ""}`),
    element("p", {}, `${short(rows)}/s in`),
    element("p", {}, eventTimeText(load.lag_millis, rows)),
    share("busy", load.busy),
    share("back-pressured", load.back_pressured),
    placed(step),
  );
}

/** Without input the watermark stands still, so its age is not a lag. */
function eventTimeText(millis, rows) {
  if (millis == null) return "no watermark";
  return rows > 0 ? `watermark lag ${duration(millis)}` : `idle; watermark ${duration(millis)} ago`;
}

/** Hosts of its subtasks, if known. */
function placed({ subtasks = [] }) {
  const hosts = new Map();
  for (const { host } of subtasks) {
    if (host) hosts.set(host, (hosts.get(host) ?? 0) + 1);
  }
  return hosts.size === 0 ? null : element("p", { class: "source" }, `on ${[...hosts].map(([host, count]) => `${host} (${whole(count)})`).join(", ")}`);
}

function share(name, part) {
  const text = part == null ? "–" : `${(100 * part).toFixed(0)} %`;
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.width = `${100 * (part ?? 0)}%`;
  return element("p", { class: "gauge" }, element("span", {}, `${name} ${text}`), element("span", { class: "track" }, bar));
}

function host(each) {
  const cores = each.core_use.map((core, i) =>
    element("li", {}, element("span", {}, `core ${i}`), spark([...core.samples, core.last], 1), element("b", {}, `${(100 * core.last).toFixed(0)} %`)),
  );
  const slots = each.task_managers.reduce((sum, manager) => sum + manager.slots, 0);
  return element(
    "section",
    {},
    element("h3", {}, `Host ${each.name}`),
    element("p", { class: "source" }, `${whole(each.cores)} cores, ${(100 * each.cpu.mean).toFixed(0)} % busy over the last half minute; ${whole(slots)} slots`),
    element("ul", { class: "cores" }, ...cores),
  );
}
