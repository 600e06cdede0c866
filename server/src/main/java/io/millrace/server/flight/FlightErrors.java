package io.millrace.server.flight;

import io.millrace.server.api.ApiException;
import io.millrace.store.QueryException;
import java.util.stream.Collectors;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.memory.OutOfMemoryException;

/** What went wrong in the protocol's codes, and in one line. */
final class FlightErrors {
  private FlightErrors() {}

  /** Read-only, whatever was asked for. */
  static FlightRuntimeException readOnly() {
    return CallStatus.UNAUTHORIZED
        .withDescription(
            "read-only: this listener answers queries; rows come in from exporters, and tables from"
                + " plugins")
        .toRuntimeException();
  }

  /** Too many at once. */
  static FlightRuntimeException tooManyQueries(int most) {
    return CallStatus.RESOURCE_EXHAUSTED
        .withDescription(
            most
                + " queries are open already, more are not taken (flight.max-queries): read results"
                + " to their end or close them")
        .toRuntimeException();
  }

  /** More rows than a query may give: a part must not be taken for the whole. */
  static FlightRuntimeException tooManyRows(long most) {
    return CallStatus.RESOURCE_EXHAUSTED
        .withDescription(
            "the result has more than "
                + most
                + " rows (store.query-row-limit), and the others are not sent: add LIMIT, or group")
        .toRuntimeException();
  }

  static FlightRuntimeException of(Throwable e) {
    if (e instanceof FlightRuntimeException known) {
      return known;
    }
    if (e instanceof QueryException refusal) {
      return status(refusal.reason()).withDescription(oneLine(refusal)).toRuntimeException();
    }
    if (e instanceof ApiException refusal) {
      return CallStatus.RESOURCE_EXHAUSTED
          .withDescription(refusal.getMessage())
          .toRuntimeException();
    }
    if (e instanceof IllegalArgumentException) {
      return CallStatus.INVALID_ARGUMENT
          .withDescription(String.valueOf(e.getMessage()))
          .toRuntimeException();
    }
    if (e instanceof OutOfMemoryException) {
      return CallStatus.RESOURCE_EXHAUSTED
          .withDescription(
              "rows on their way to clients take all of flight.memory: ask for fewer or narrower"
                  + " rows, or fewer queries at once")
          .withCause(e)
          .toRuntimeException();
    }
    return CallStatus.INTERNAL.withDescription(e.toString()).withCause(e).toRuntimeException();
  }

  private static CallStatus status(QueryException.Reason reason) {
    return switch (reason) {
      case WRONG -> CallStatus.INVALID_ARGUMENT;
      case NOT_ALLOWED -> CallStatus.UNAUTHORIZED;
      case TIMEOUT -> CallStatus.TIMED_OUT;
      case CLOSED -> CallStatus.UNAVAILABLE;
      case CANCELLED -> CallStatus.CANCELLED;
      case BUSY -> CallStatus.RESOURCE_EXHAUSTED;
    };
  }

  /** The store shows the query's line with a mark below; here a number must do. */
  private static String oneLine(QueryException e) {
    String text =
        e.getMessage()
            .lines()
            .takeWhile(line -> !line.startsWith("LINE "))
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .collect(Collectors.joining(" "));
    return e.position() < 0 ? text : text + " (at character " + (e.position() + 1) + ")";
  }
}
