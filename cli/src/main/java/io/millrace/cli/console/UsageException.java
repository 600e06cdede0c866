package io.millrace.cli.console;

/** Invalid usage of a command; the message is one line that says what to change. */
public final class UsageException extends RuntimeException {
  /** Creates an exception with a complete message. */
  public UsageException(String message) {
    super(message);
  }
}
