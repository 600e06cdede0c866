package io.millrace.store;

/** Failure of the store: disk, memory, corrupt file. A restart may help. */
public class StoreException extends RuntimeException {
  /** Creates an exception; the message names the action and the reason. */
  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
