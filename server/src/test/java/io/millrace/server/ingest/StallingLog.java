package io.millrace.server.ingest;

import io.millrace.engine.log.LogAppender;
import io.millrace.wire.record.RecordBatch;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * An in-memory log with controllable acknowledgements: it can stall, lose values, and store values
 * that it reports as failed. Thread-safe.
 */
final class StallingLog implements LogAppender, LogEnd {
  private static final class PendingValue {
    private final int partition;
    private final byte[] value;
    private final LogAppender.Completion completion;

    PendingValue(int partition, byte[] value, LogAppender.Completion completion) {
      this.partition = partition;
      this.value = value;
      this.completion = completion;
    }
  }

  private final List<List<byte[]>> partitions = new ArrayList<>();
  private final ArrayDeque<PendingValue> waiting = new ArrayDeque<>();
  private boolean isStalled;
  private int maxValueBytes = 16 << 20;

  StallingLog(int partitions) {
    for (int i = 0; i < partitions; i++) {
      this.partitions.add(new ArrayList<>());
    }
  }

  @Override
  public int partitions() {
    return partitions.size();
  }

  @Override
  public boolean offer(
      byte[] key, int partition, byte[] value, int records, LogAppender.Completion completion) {
    if (value.length > maxValueBytes()) {
      return false;
    }
    synchronized (this) {
      waiting.add(new PendingValue(partition, value, completion));
      if (isStalled) {
        return true;
      }
    }
    answer();
    return true;
  }

  @Override
  public synchronized int maxValueBytes() {
    return maxValueBytes;
  }

  /** Rejects longer values from now on. */
  synchronized void rejectAbove(int bytes) {
    maxValueBytes = bytes;
  }

  /** Holds values without acknowledging them from now on. */
  synchronized void stall() {
    isStalled = true;
  }

  /** Acknowledges all held values, and further ones immediately. */
  void resume() {
    synchronized (this) {
      isStalled = false;
    }
    answer();
  }

  private void answer() {
    while (true) {
      PendingValue next;
      long offset;
      synchronized (this) {
        next = waiting.poll();
        if (next == null) {
          return;
        }
        offset = append(next);
      }
      next.completion.acknowledged(next.partition, offset);
    }
  }

  private long append(PendingValue next) {
    List<byte[]> values = partitions.get(next.partition);
    values.add(next.value);
    return values.size() - 1L;
  }

  /** Reports a time-out for the oldest value, which may be stored nevertheless. */
  void fail(boolean isKept) {
    PendingValue next;
    synchronized (this) {
      next = waiting.remove();
      if (isKept) {
        var unused = append(next);
      }
    }
    next.completion.failed(new IOException("too late"));
  }

  /** Stores a value. */
  synchronized void keep(int partition, byte[] value) {
    partitions.get(partition).add(value);
  }

  synchronized int waiting() {
    return waiting.size();
  }

  /** Number of records in all values. */
  synchronized long records() {
    return partitions.stream()
        .flatMap(List::stream)
        .mapToLong(value -> RecordBatch.wrap(value, value.length).count())
        .sum();
  }

  /** The values of a partition. */
  synchronized List<byte[]> values(int partition) {
    return List.copyOf(partitions.get(partition));
  }

  @Override
  public void read(int partition, long from, long until, Frames to) {
    List<byte[]> values = values(partition);
    for (long offset = from; offset < until; offset++) {
      byte[] value = values.get((int) offset);
      RecordBatch.wrap(value, value.length)
          .senders((client, frame) -> to.frame(client, partition, frame));
    }
  }

  @Override
  public synchronized long[] end() {
    return partitions.stream().mapToLong(List::size).toArray();
  }

  @Override
  public long[] at(long micros) {
    return new long[partitions.size()];
  }
}
