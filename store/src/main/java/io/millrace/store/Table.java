package io.millrace.store;

/**
 * What tables of flows and tables of results have in common. Thread-safe.
 *
 * <p>Each life of a job writes under a fencing token, a number that grows from life to life, the
 * process that issues it. A rewind closes the table to all earlier tokens: a writer of an earlier
 * run that was frozen or cut off, and comes back, is rejected with {@link FencedException} and
 * changes nothing.
 *
 * @param <P> how far a checkpoint covers the table: a frontier of the log where rows know their
 *     place in it, else the checkpoint's id
 */
public interface Table<P> {
  /** Name in SQL. */
  String name();

  /** Fencing token of the last rewind, kept with the rows; 0 before the first. */
  long token();

  /**
   * Forgets what writers have not committed, which must not continue, and deletes the rows that the
   * checkpoint does not cover. Whole, and safe from the end of the process on return: after a crash
   * in the middle, all of them are there or none.
   *
   * @param token greater than that of any rewind before
   * @return number of rows deleted
   * @throws FencedException if the token is not greater; nothing is changed then
   */
  long rewind(long token, P covered);

  /** Number of rows that queries see now. */
  long rows();
}
