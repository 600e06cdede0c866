package io.millrace.server.api;

import io.millrace.store.QueryException;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;

/** Failure of a request, with HTTP status and a one-line reason. */
public final class ApiException extends RuntimeException {
  private final int status;
  private final int position;
  private final transient HttpField header; // null if none
  private String kind; // null unless the API has kinds of errors

  /** Creates an error with a status of 4xx or 5xx. */
  public ApiException(int status, String message) {
    this(status, message, null);
  }

  ApiException(int status, String message, HttpField header) {
    super(message);
    this.status = status;
    this.position = -1;
    this.header = header;
  }

  /** Creates an error at a character of the query, from 0; −1 for none. */
  public ApiException(int status, String message, int position) {
    super(message);
    this.status = status;
    this.position = position;
    this.header = null;
  }

  /** Translates an error of the store. */
  public static ApiException of(QueryException e) {
    int status =
        switch (e.reason()) {
          case WRONG -> 400;
          case NOT_ALLOWED -> 403;
          case TIMEOUT -> 408;
          case CLOSED, CANCELLED, BUSY -> 503;
        };
    ApiException rejection = new ApiException(status, e.getMessage(), e.position());
    rejection.initCause(e);
    return rejection;
  }

  boolean isRetryable() {
    return status == 429 || status == 503;
  }

  /** Creates an error of an API that has kinds of errors. */
  public static ApiException ofKind(int status, String kind, String message) {
    ApiException rejection = new ApiException(status, message);
    rejection.kind = kind;
    return rejection;
  }

  /** The kind of error in a response of Iceberg's REST protocol. */
  String kind() {
    return kind != null
        ? kind
        : switch (status) {
          case 400 -> "BadRequestException";
          case 401 -> "NotAuthorizedException";
          case 403 -> "ForbiddenException";
          case 406 -> "UnsupportedOperationException";
          case 503 -> "ServiceUnavailableException";
          default -> "RESTException";
        };
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  Optional<HttpField> header() {
    return Optional.ofNullable(header);
  }

  /** Index of the character at which the query failed, from 0; −1 if unknown. */
  public int position() {
    return position;
  }
}
