package io.millrace.store;

/** The store could not do its work: disk, memory, a broken file. A restart may mend it. */
public class StoreException extends RuntimeException {
  /** What was tried, and why it failed. */
  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
