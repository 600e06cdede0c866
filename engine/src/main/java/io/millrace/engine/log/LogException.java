package io.millrace.engine.log;

/** The log cannot be reached, started or read. The message says what, where and what to do. */
public final class LogException extends RuntimeException {
  /** A message that is complete, and what brought it about. */
  public LogException(String message, Throwable cause) {
    super(message, cause);
  }
}
