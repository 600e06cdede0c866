package io.millrace.engine.log;

/** Failure to reach, start or read the log. The message says what, where and what to do. */
public final class LogException extends RuntimeException {
  /** Creates an exception from a complete message and its cause. */
  public LogException(String message, Throwable cause) {
    super(message, cause);
  }
}
