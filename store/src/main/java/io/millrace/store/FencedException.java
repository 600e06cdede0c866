package io.millrace.store;

/**
 * A writer of an earlier life of the job has spoken: the table was rewound under a later fencing
 * token since, and nothing was changed now. Whoever gets it must end; the job goes on elsewhere.
 */
public final class FencedException extends StoreException {
  /** What was refused, under which fencing token, and which one holds. */
  public FencedException(String message) {
    super(message, null);
  }
}
