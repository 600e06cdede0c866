package io.millrace.cli;

import java.io.IOException;

/** The instance answered that it will not: the message is its own, of several lines for SQL. */
final class RefusedException extends IOException {
  RefusedException(String message) {
    super(message);
  }
}
