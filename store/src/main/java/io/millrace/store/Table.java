package io.millrace.store;

/**
 * What tables of flows and tables of results have in common. Thread-safe.
 *
 * <p>Each run of a job writes with a fencing token, a number that increases with each run of the
 * job and of the process that issues it. A rewind fences all earlier tokens: a writer of an earlier
 * run that was frozen or disconnected and resumes is rejected with {@link FencedException} and
 * changes nothing.
 *
 * @param <P> what a checkpoint covers: a frontier of the log if rows have log positions, else the
 *     checkpoint's id
 */
public interface Table<P> {
  /** Name in SQL. */
  String name();

  /** Fencing token of the last rewind, kept with the rows; 0 before the first. */
  long token();

  /**
   * Discards what writers have not committed, and deletes the rows that the checkpoint does not
   * cover; these writers must not continue. Atomic and durable on return.
   *
   * @param token greater than that of any earlier rewind
   * @return number of rows deleted
   * @throws FencedException if the token is not greater; then nothing is changed
   */
  long rewind(long token, P covered);

  /** Number of rows that queries see now. */
  long rows();
}
