package io.millrace.server.api;

import io.millrace.store.QueryException;
import java.util.Optional;

enum ClientRejection implements Refusals.Reason {
  EACH(
      "more concurrent queries than http.responses.max-per-client",
      "read responses completely, or raise the limit if many users share one proxy"),
  ALL(
      "more concurrent queries of all clients than http.responses.max",
      "find the busiest client, or raise the limit if the machine has capacity"),
  SLOW(
      "response read more slowly than http.responses.min-rate",
      "request fewer rows, or lower the limit for slow links"),
  SLOW_BODY(
      "request body sent more slowly than http.responses.min-rate",
      "fix the client, or lower the limit for slow links"),
  CONNECTIONS(
      "more connections than http.connections.max-per-client",
      "reuse connections, or raise the limit if many users share one proxy"),
  UNTAKEN(
      "more unread Flight SQL responses than twice http.responses.max-per-client",
      "read responses completely"),
  NOT_ALLOWED(
      "SQL that is not read-only, or may exceed the limits of a query",
      "the response says why; docs/reference/http.md lists the limits"),
  TIMEOUT(
      "query timed out",
      "query a shorter time range, use top or a rollup, or raise store.query-time-limit"),
  BUSY(
      "query ran out of the store's memory",
      "run fewer concurrent queries, or raise store.memory and the heap");

  private final String cause;
  private final String advice;

  ClientRejection(String cause, String advice) {
    this.cause = cause;
    this.advice = advice;
  }

  /** Empty for mistakes in a query, which are not worth a warning. */
  static Optional<ClientRejection> of(QueryException.Reason reason) {
    return switch (reason) {
      case NOT_ALLOWED -> Optional.of(NOT_ALLOWED);
      case TIMEOUT -> Optional.of(TIMEOUT);
      case BUSY -> Optional.of(BUSY);
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
