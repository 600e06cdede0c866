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

export const status = () => get("status");
export const cluster = () => get("status?with=cluster");
export const ledger = () => get("ledger");
export const datasets = () => get("datasets");
export const deadLetters = () => get("dead-letters?n=10");

/**
 * Traffic over time by group; omits null and empty parameters. Keys and labels of groups become lists, a value for each column;
 * `previous` is the line of the previous period, or null. Estimates that are too uncertain become unknown.
 */
export async function series(parameters) {
  const began = performance.now();
  const result = await get(`series?${given(parameters)}`);
  const groups = result.groups.map((group) => ({
    ...certain(group),
    key: result.columns.map((column) => group.key[column]),
    label: result.columns.map((column) => named(column, group.key[column], group.labels[column], group.key.proto) ?? "unknown"),
  }));
  return {
    ...result,
    groups,
    others: certain(result.others),
    total: certain(result.total),
    previous: result.previous ? certain(result.previous.total) : null,
    took_ms: performance.now() - began,
  };
}

/** History of alerts. */
export const alerts = (parameters) => get(`alerts?${given(parameters)}`);

/** Interpretations of a text: {kind, text, detail, page} each. */
export const search = (parameters) => get(`search?${given(parameters)}`);

export const top = (parameters) => get(`top?${given(parameters)}`);
export const filter = (text) => get(`filter?${given({ filter: text })}`);

/** Runs SQL: the console's own on DuckDB or, with engine null, a user's on the configured engine. */
export const sql = (text, engine = "duckdb") =>
  get("sql", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ sql: text, format: "json", ...(engine ? { engine } : {}) }),
  });

function given(parameters) {
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value != null && value !== ""));
}

/** GET of any path under /api/v1, including those of pipelines. */
export async function get(path, options = {}) {
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
      await access.promptForToken(token);
    }
    return get(path, options);
  }
  const result = await response.json().catch(() => null);
  if (!response.ok || result == null) {
    const error = result?.error;
    throw new ApiError(error?.message ?? `the server responded with status ${response.status}`, error?.position ?? null, response.status);
  }
  return result;
}
