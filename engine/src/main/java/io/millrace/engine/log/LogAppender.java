package io.millrace.engine.log;

/**
 * Appends values to the partitions of a topic without blocking: used by collectors, captures and
 * the ingest server.
 *
 * <p><b>Order.</b> Values that one thread appends to one partition get ascending offsets, and are
 * completed in that order.
 *
 * <p><b>Failure.</b> A rejected value is not in the log. A failed one may be in the log, which did
 * not acknowledge it in time; a caller that must avoid duplicates reads the log before a retry.
 *
 * <p>Thread-safe.
 */
public interface LogAppender {
  /** The appender chooses the partition. */
  int ANY_PARTITION = -1;

  /** Number of partitions, at least 1. */
  int partitions();

  /** Maximum size of a value, in bytes. */
  int maxValueBytes();

  /**
   * Accepts a value, or rejects it if the buffer is full. Returns at once.
   *
   * @param key null for none; with {@link #ANY_PARTITION}, values of one key go to one partition
   * @param partition 0 up to {@link #partitions()}, or {@link #ANY_PARTITION}
   * @param value must not be changed afterwards
   * @param rows datagrams or records in the value, for the counters
   * @param completion receives the outcome of an accepted value, once and on any thread, possibly
   *     before this method returns; never called for a rejected value; null for none
   * @return false if the value was rejected
   */
  boolean offer(byte[] key, int partition, byte[] value, int rows, Completion completion);

  /** The outcome of an accepted value. */
  interface Completion {
    /** The log has stored the value, and a reader that starts now sees it. */
    void acknowledged(int partition, long offset);

    /** The log did not acknowledge the value in time; it may have it. */
    void failed(Exception cause);
  }
}
