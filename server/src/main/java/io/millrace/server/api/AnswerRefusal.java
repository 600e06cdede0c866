package io.millrace.server.api;

import io.millrace.store.QueryException;
import java.util.Optional;

/** Why a client was refused an answer or a connection, or got no answer to its end. */
enum AnswerRefusal implements Refusals.Reason {
  EACH(
      "more questions at once than http.answers.max-each",
      "let it read answers to their end, or raise that where many ask through one proxy"),
  ALL(
      "all clients asked more at once than http.answers.max",
      "see who asks so much, or raise that if the machine has room"),
  SLOW(
      "it read its answer more slowly than http.answers.least-rate",
      "ask for fewer rows, or lower that where a link is slow"),
  SLOW_BODY(
      "it sent a request's body more slowly than http.answers.least-rate",
      "mend it, or lower that where a link is slow"),
  CONNECTIONS(
      "more connections at once than http.connections.max-each",
      "let it ask over those it has, or raise that where many come through one proxy"),
  UNTAKEN(
      "it has not taken so many answers over Flight SQL as twice http.answers.max-each",
      "let it read answers to their end"),
  NOT_ALLOWED(
      "SQL that does more than read, or might take more than a query may have",
      "the answer told why; docs/reference/http.md lists the bounds"),
  TIMEOUT(
      "a question took longer than its time limit",
      "ask for a shorter window of time, ask top or a rollup, or raise store.query-time-limit"),
  BUSY(
      "the store had no memory to spare for it",
      "ask less at once, or raise store.memory and the heap");

  private final String cause;
  private final String advice;

  AnswerRefusal(String cause, String advice) {
    this.cause = cause;
    this.advice = advice;
  }

  /** What of the store's refusals is worth a look; not that somebody mistyped. */
  static Optional<AnswerRefusal> of(QueryException.Reason reason) {
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
