package io.millrace.server.api;

import io.millrace.server.metrics.RejectionCounts;
import io.millrace.store.QueryException;
import java.util.Optional;

/** Reason of a rejected query, request or connection of an API client. */
public enum ClientRejection implements RejectionCounts.Reason {
  /** Limit of one client. */
  CLIENT_QUERIES(
      "more concurrent queries than http.queries.max-per-client",
      "read responses completely, or raise the limit if many users share one proxy"),
  /** Limit of all clients. */
  ALL_QUERIES(
      "more concurrent queries of all clients than http.queries.max",
      "find the busiest client, or raise the limit if the machine has capacity"),
  /** Response aborted. */
  SLOW_READER(
      "response read more slowly than http.transfers.min-rate",
      "request fewer rows, or lower the limit for slow links"),
  /** Request aborted. */
  SLOW_BODY(
      "request body sent more slowly than http.transfers.min-rate",
      "fix the client, or lower the limit for slow links"),
  /** Connection limit. */
  CONNECTIONS(
      "more connections than http.connections.max-per-client",
      "reuse connections, or raise the limit if many users share one proxy"),
  /** Limit of unread Flight SQL responses. */
  UNREAD(
      "more unread Flight SQL responses than twice http.queries.max-per-client",
      "read responses completely"),
  /** Rejected by the sandbox. */
  NOT_ALLOWED(
      "SQL that is not read-only, or may exceed the limits of a query",
      "the response says why; docs/reference/http.md lists the limits"),
  /** Time limit. */
  TIMEOUT(
      "query timed out",
      "query a shorter time range, use top or a rollup, or raise store.query-time-limit"),
  /** Memory limit. */
  MEMORY(
      "query ran out of the store's memory",
      "run fewer concurrent queries, or raise store.memory and the heap");

  private final String cause;
  private final String advice;

  ClientRejection(String cause, String advice) {
    this.cause = cause;
    this.advice = advice;
  }

  /** Rejection for an error of the store; empty for mistakes in a query, which need no warning. */
  public static Optional<ClientRejection> of(QueryException.Reason reason) {
    return switch (reason) {
      case NOT_ALLOWED -> Optional.of(NOT_ALLOWED);
      case TIMEOUT -> Optional.of(TIMEOUT);
      case BUSY -> Optional.of(MEMORY);
      case WRONG, CLOSED, CANCELLED -> Optional.empty();
    };
  }

  @Override
  public String cause() {
    return cause;
  }

  @Override
  public String advice() {
    return advice;
  }
}
