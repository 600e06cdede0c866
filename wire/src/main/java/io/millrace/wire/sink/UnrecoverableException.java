package io.millrace.wire.sink;

/**
 * A condition that a restart cannot fix, such as a table of a newer release, or a log that was
 * replaced by another one. Thrown by analyzers, sinks and their factories; the job then fails with
 * the reason and is not restarted.
 */
public class UnrecoverableException extends RuntimeException {
  /**
   * @param message what is wrong, where, and what to do about it
   */
  public UnrecoverableException(String message) {
    super(message);
  }

  /** Creates an exception with a cause. */
  public UnrecoverableException(String message, Throwable cause) {
    super(message, cause);
  }
}
