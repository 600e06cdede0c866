/** Client of the server's API (API.md). Failures are ApiErrors with the server's message. */

import * as access from "./access/access.js";
import { certain } from "./estimates.js";
import { named } from "./names.js";

const BASE = "api/v1/";
const PATIENCE_MS = 60_000;

export class ApiError extends Error {
  constructor(message, position = null, status = null) {
    super(message);
    this.position = position;
    this.status = status;
  }
}

export const status = () => ask("status");
export const cluster = () => ask("status?with=cluster");
export const ledger = () => ask("ledger");
export const datasets = () => ask("datasets");
export const deadLetters = () => ask("dead-letters?n=10");

/**
 * Traffic over time by group; omits null and empty parameters. Keys and labels of groups become lists, a value for each column;
 * `previous` is the line of the previous period, or null. Too uncertain estimates become unknown.
 */
export async function series(parameters) {
  const began = performance.now();
  const answer = await ask(`series?${given(parameters)}`);
  const groups = answer.groups.map((group) => ({
    ...certain(group),
    key: answer.columns.map((column) => group.key[column]),
    label: answer.columns.map((column) => named(column, group.key[column], group.labels[column], group.key.proto) ?? "unknown"),
  }));
  return {
    ...answer,
    groups,
    others: certain(answer.others),
    total: certain(answer.total),
    previous: answer.previous ? certain(answer.previous.total) : null,
    took_ms: performance.now() - began,
  };
}

/** History of alerts. */
export const alerts = (parameters) => ask(`alerts?${given(parameters)}`);

/** Interpretations of a text: {kind, text, detail, page} each. */
export const search = (parameters) => ask(`search?${given(parameters)}`);

export const top = (asked) => ask(`top?${given(asked)}`);
export const filter = (text) => ask(`filter?${given({ filter: text })}`);

export const sql = (text) =>
  ask("sql", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ sql: text, format: "json" }),
  });

function given(parameters) {
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value != null && value !== ""));
}

/** Any request under /api/v1, including those of pipelines. */
export async function ask(path, options = {}) {
  const token = access.token();
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  let response;
  try {
    response = await fetch(BASE + path, { ...options, headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (failure) {
    throw new ApiError(failure.name === "TimeoutError" ? "the request timed out" : "the server is unreachable");
  }
  if (response.status === 401) {
    if (access.token() === token) {
      await access.ask(token);
    }
    return ask(path, options);
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok || answer == null) {
    const error = answer?.error;
    throw new ApiError(error?.message ?? `the server responded with status ${response.status}`, error?.position ?? null, response.status);
  }
  return answer;
}
