package io.millrace.store;

import io.millrace.wire.sink.UnrecoverableException;

/** The data on disk and the program disagree on a table's columns: a restart does not fix that. */
public class WrongSchemaException extends UnrecoverableException {
  /** Table, column, what is there and what is wanted. */
  public WrongSchemaException(String message) {
    super(message);
  }
}
