package io.millrace.store;

import io.millrace.wire.sink.UnrecoverableException;

/** The stored columns of a table contradict the program's, which a restart does not fix. */
public class WrongSchemaException extends UnrecoverableException {
  /** The message names table, column, stored and expected type. */
  public WrongSchemaException(String message) {
    super(message);
  }
}
