package io.millrace.store;

/**
 * A write by a fenced writer: the table was rewound under a later fencing token. Nothing was
 * changed. The writer must end; its successor continues.
 */
public final class FencedException extends StoreException {
  /** The message names what was rejected, its token, and the current one. */
  public FencedException(String message) {
    super(message, null);
  }
}
