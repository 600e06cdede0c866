package io.millrace.engine.log;

/** The log cannot be reached, started or read. The message says what, where and what to do. */
public final class LogException extends RuntimeException {
  LogException(String message, Throwable cause) {
    super(message, cause);
  }
}
