package io.millrace.engine.table;

/**
 * Reader of a table that is replaced while jobs run. Thread-safe.
 *
 * @param <T> the table
 */
public interface TableReader<T> extends AutoCloseable {
  /**
   * Returns the version for a record; the same for all subtasks at any time. Waits until the log
   * has confirmed that no later version applies to that time. The log does so ahead of the clock,
   * so a time must not be later than the record's arrival.
   *
   * @param micros time of the record, since the epoch
   */
  T at(long micros) throws InterruptedException;

  /** Number of invalid versions, which are skipped. */
  long broken();

  @Override
  void close();
}
