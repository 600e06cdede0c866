package io.millrace.cli.console;

/** A command line that cannot be carried out as it is: one line that says what to change. */
public final class UsageException extends RuntimeException {
  /** A message that is complete. */
  public UsageException(String message) {
    super(message);
  }
}
