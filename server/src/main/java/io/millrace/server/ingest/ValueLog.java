package io.millrace.server.ingest;

import io.millrace.engine.log.LogWriter;

/** Where values go: the log, as far as this package knows it. */
public interface ValueLog {
  /** Number of partitions, at least 1. */
  int partitions();

  /** Longest value that is ever taken. */
  int maxValueBytes();

  /**
   * Takes a value, or refuses it at once for want of room; never blocks.
   *
   * @param key what all records of the value are about; null for several things
   * @param completion told once what became of the value if it was taken, on any thread
   * @return false if there is no room
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
