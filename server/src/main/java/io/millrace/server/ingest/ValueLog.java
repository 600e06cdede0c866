package io.millrace.server.ingest;

import io.millrace.engine.log.LogWriter;

/** Destination of values: the log, as this package uses it. */
public interface ValueLog {
  /** Number of partitions, at least 1. */
  int partitions();

  /** Maximum size of a value. */
  int maxValueBytes();

  /**
   * Enqueues a value without blocking.
   *
   * @param key common to all records; null if they differ
   * @param completion called once, on any thread, if the value was enqueued
   * @return false if the buffer is full
   */
  boolean offer(
      byte[] key, int partition, byte[] value, int records, LogWriter.Completion completion);

  /** A topic. */
  static ValueLog of(LogWriter writer) {
    return new ValueLog() {
      @Override
      public int partitions() {
        return writer.partitions();
      }

      @Override
      public int maxValueBytes() {
        return writer.maxValueBytes();
      }

      @Override
      public boolean offer(
          byte[] key, int partition, byte[] value, int records, LogWriter.Completion completion) {
        return writer.offer(key, partition, value, records, completion);
      }
    };
  }
}
