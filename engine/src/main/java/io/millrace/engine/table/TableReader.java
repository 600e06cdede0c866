package io.millrace.engine.table;

/**
 * A table that is replaced while it is read. Thread-safe.
 *
 * @param <T> the table
 */
public interface TableReader<T> extends AutoCloseable {
  /**
   * The version that applies to a record: the same for all subtasks, whenever they ask. Waits until
   * the log has confirmed that there is no other one for that time, which it does ahead of the
   * clock; so a time must not be later than the record's arrival.
   *
   * @param micros time of the record, since the epoch
   */
  T at(long micros) throws InterruptedException;

  /** Number of invalid versions, which are skipped. */
  long broken();

  @Override
  void close();
}
