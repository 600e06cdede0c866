package io.millrace.wire.sink;

/**
 * A condition that no restart fixes: a table of a newer release, a log that was replaced by another
 * one. An analyzer, a sink or their factories throw it; the job then fails once, says why, and is
 * not restarted.
 */
public class UnrecoverableException extends RuntimeException {
  /**
   * @param message what is wrong, where, and what to do about it
   */
  public UnrecoverableException(String message) {
    super(message);
  }

  /** As above, with what was caught. */
  public UnrecoverableException(String message, Throwable cause) {
    super(message, cause);
  }
}
