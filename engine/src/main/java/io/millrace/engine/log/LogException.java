package io.millrace.engine.log;

/**
 * Failure to reach, start or read the log. The message names the operation and address, and what to
 * do.
 */
public final class LogException extends RuntimeException {
  public LogException(String message, Throwable cause) {
    super(message, cause);
  }
}
