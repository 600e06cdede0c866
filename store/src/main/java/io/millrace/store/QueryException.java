package io.millrace.store;

/** An invalid, disallowed, or limited query. The message is the store's. */
public class QueryException extends RuntimeException {
  /** Why a query was rejected or ended. */
  public enum Reason {
    /** Syntax error, unknown name or wrong type. */
    WRONG,
    /** Valid SQL that this store does not allow in a query. */
    NOT_ALLOWED,
    /** Time limit exceeded. */
    TIMEOUT,
    /** The store was closed. */
    CLOSED,
    /** Cancelled by {@link Cancellation}. */
    CANCELLED,
    /** Out of memory, or too many open queries; a retry may succeed. */
    BUSY
  }

  /** {@link #position()} if unknown. */
  public static final int NO_POSITION = -1;

  private final Reason reason;
  private final int position;

  /**
   * Creates an exception.
   *
   * @param reason kind of error
   * @param message for people; has several lines if it points into the query
   * @param position index of the erroneous character, from 0, or {@link #NO_POSITION}
   */
  public QueryException(Reason reason, String message, int position) {
    super(message);
    this.reason = reason;
    this.position = position;
  }

  /** Kind of error. */
  public Reason reason() {
    return reason;
  }

  /** Index of the erroneous character, from 0, or {@link #NO_POSITION}. */
  public int position() {
    return position;
  }
}
