package io.millrace.server.flight;

import io.millrace.server.api.ApiException;
import io.millrace.store.QueryException;
import java.util.stream.Collectors;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.memory.OutOfMemoryException;

final class FlightErrors {
  private FlightErrors() {}

  static FlightRuntimeException readOnly() {
    return CallStatus.UNAUTHORIZED
        .withDescription(
            "read-only: this listener runs queries only; rows are written by exporters, and tables by"
                + " plugins")
        .toRuntimeException();
  }

  static FlightRuntimeException tooManyQueries(int max) {
    return CallStatus.RESOURCE_EXHAUSTED
        .withDescription(
            max
                + " queries are open, the maximum (flight.max-queries); read results"
                + " completely or close them")
        .toRuntimeException();
  }

  /** Error of a result with too many rows; a partial result must not look complete. */
  static FlightRuntimeException tooManyRows(long max) {
    return CallStatus.RESOURCE_EXHAUSTED
        .withDescription(
            "the result exceeds "
                + max
                + " rows (store.query-row-limit); the rest is not sent: add LIMIT, or aggregate")
        .toRuntimeException();
  }

  static FlightRuntimeException of(Throwable e) {
    if (e instanceof FlightRuntimeException known) {
      return known;
    }
    if (e instanceof QueryException rejection) {
      return status(rejection.reason()).withDescription(oneLine(rejection)).toRuntimeException();
    }
    if (e instanceof ApiException rejection) {
      return CallStatus.RESOURCE_EXHAUSTED
          .withDescription(rejection.getMessage())
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
              "unsent rows fill flight.memory: request fewer or narrower"
                  + " rows, or run fewer concurrent queries")
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
