package io.millrace.store;

/**
 * The question is at fault, not the store: wrong SQL, something not allowed, or a limit. The
 * message is the store's own.
 */
public class QueryException extends RuntimeException {
  /** Why a query was refused or ended. */
  public enum Reason {
    /** Not SQL, an unknown name, a wrong type. */
    WRONG,
    /** Sound SQL that this store does not let a query do. */
    NOT_ALLOWED,
    /** The time limit. */
    TIMEOUT,
    /** The store was closed under it. */
    CLOSED,
    /** By {@link Cancellation}. */
    CANCELLED,
    /** The process has no more memory to give, or too many queries are open: later perhaps. */
    BUSY
  }

  /** {@link #position()} where the store names none. */
  public static final int NO_POSITION = -1;

  private final Reason reason;
  private final int position;

  /**
   * @param reason what kind of fault
   * @param message for people; of several lines where it points into the query
   * @param position of the fault in the query's characters, from 0, or {@link #NO_POSITION}
   */
  public QueryException(Reason reason, String message, int position) {
    super(message);
    this.reason = reason;
    this.position = position;
  }

  /** What kind of fault. */
  public Reason reason() {
    return reason;
  }

  /** Where in the query's characters, from 0, or {@link #NO_POSITION}. */
  public int position() {
    return position;
  }
}
