package io.millrace.engine.table;

/**
 * A table that is replaced while it is read. Safe for use by many threads.
 *
 * @param <T> the table
 */
public interface TableReader<T> extends AutoCloseable {
  /**
   * The version that holds for a record: the same for all subtasks, whenever they ask. Waits until
   * the log has said that no other one can come for that time, which it does ahead of the clock; so
   * a time must not be later than the record's arrival.
   *
   * @param micros time of the record, since the epoch
   */
  T at(long micros) throws InterruptedException;

  /** Versions that were passed over because they are no table. */
  long broken();

  @Override
  void close();
}
