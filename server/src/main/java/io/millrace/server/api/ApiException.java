package io.millrace.server.api;

import io.millrace.store.QueryException;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;

/** A request that cannot be answered, with the HTTP status and one line that says why. */
public final class ApiException extends RuntimeException {
  private final int status;
  private final int position;
  private final transient HttpField header; // null for none

  /** A refusal with a status of 4xx or 5xx. */
  public ApiException(int status, String message) {
    this(status, message, null);
  }

  /** A refusal that a header goes with; null for none. */
  ApiException(int status, String message, HttpField header) {
    super(message);
    this.status = status;
    this.position = -1;
    this.header = header;
  }

  /** A refusal that points at a character of the query, counted from 0; −1 for none. */
  public ApiException(int status, String message, int position) {
    super(message);
    this.status = status;
    this.position = position;
    this.header = null;
  }

  /** What the store says against a query. */
  public static ApiException of(QueryException e) {
    int status =
        switch (e.reason()) {
          case WRONG -> 400;
          case NOT_ALLOWED -> 403;
          case TIMEOUT -> 408;
          case CLOSED, CANCELLED, BUSY -> 503;
        };
    ApiException refusal = new ApiException(status, e.getMessage(), e.position());
    refusal.initCause(e);
    return refusal;
  }

  /** Whether the same request may be answered later. */
  boolean isForNow() {
    return status == 429 || status == 503;
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** What the answer says beside its body. */
  Optional<HttpField> header() {
    return Optional.ofNullable(header);
  }

  /** The character of the query at which it went wrong, from 0; −1 where that is not known. */
  public int position() {
    return position;
  }
}
