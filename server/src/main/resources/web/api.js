/** The server's answers (API.md). A failure is an ApiError with the server's own message. */

import * as access from "./access/access.js";

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
export const ledger = () => ask("ledger");
export const top = (by, metric, last, n, filter) => ask(`top?${new URLSearchParams({ by, metric, last, n, filter })}`);
export const sql = (text) =>
  ask("sql", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ sql: text, format: "json" }),
  });

/** The answer to any question under /api/v1: pipelines have some of their own. */
export async function ask(path, options = {}) {
  const token = access.token();
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  let response;
  try {
    response = await fetch(BASE + path, { ...options, headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (failure) {
    throw new ApiError(failure.name === "TimeoutError" ? "no answer in time" : "the server does not answer");
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
    throw new ApiError(error?.message ?? `the server answers with status ${response.status}`, error?.position ?? null, response.status);
  }
  return answer;
}
