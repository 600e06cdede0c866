package io.millrace.cli;

/** A command line that cannot be carried out as it is: one line that says what to change. */
final class UsageException extends RuntimeException {
  UsageException(String message) {
    super(message);
  }
}
