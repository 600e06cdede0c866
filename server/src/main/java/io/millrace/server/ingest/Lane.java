package io.millrace.server.ingest;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Queue of log values for one partition.
 *
 * <pre>
 *   requests, frames ──► open ──► sealed, a queue ──► in flight, one ──► log
 * </pre>
 *
 * A value is sent only after the log has acknowledged the previous one: if the previous value were
 * lost and this one stored, a client's frames would have a gap. While a value is in flight the next
 * one fills, so busy partitions get large values without an added delay.
 *
 * <p>Thread-safe: guarded by itself.
 */
final class Lane {
  private final int partition;
  private final int maxBatchBytes;
  private final int maxValueBytes;
  private final ArrayDeque<LogValue> sealed = new ArrayDeque<>();
  private LogValue open; // null if there is none
  private int expected; // expected number of records: that of the previous value
  private LogValue inFlight;
  private boolean broken;
  private long nextOffset;

  Lane(int partition, int maxBatchBytes, int maxValueBytes) {
    this.partition = partition;
    this.maxBatchBytes = maxBatchBytes;
    this.maxValueBytes = maxValueBytes;
  }

  enum Addition {
    /** Queued after a value in flight. */
    WAITING,
    /** Ready to send. */
    READY,
    /** A duplicate, not added. */
    TAKEN_BEFORE,
    /** Not added, because the lane has failed. */
    REJECTED
  }

  /**
   * Adds the rows of this partition.
   *
   * @param first first row of this partition
   * @param completion notified when they are in the log; null for none
   * @param client that sent the frame; null for none
   * @param bytes {@code [0]} receives the growth of the queue in bytes
   */
  synchronized Addition add(
      DecodedRecords decoded,
      int first,
      Completion completion,
      ClientFrames client,
      long frame,
      long arrivalMicros,
      long[] bytes) {
    bytes[0] = 0;
    if (broken) {
      return Addition.REJECTED;
    }
    if (client != null && frame <= client.taken(partition)) {
      return Addition.TAKEN_BEFORE;
    }
    LogValue value = valueFor(decoded, arrivalMicros);
    if (value.records() > 0
        && value.length() + decoded.mostBytes() > maxValueBytes - LogValue.MAX_FRAMING_BYTES) {
      seal();
      value = valueFor(decoded, arrivalMicros);
    }
    int before = value.records() == 0 ? 0 : value.length();
    value.add(decoded, first);
    if (completion != null) {
      value.add(completion);
    }
    if (client != null) {
      client.take(partition, frame);
      if (client.open[partition] != value) {
        value.add(client);
        client.open[partition] = value;
      }
    }
    bytes[0] = (long) value.length() - before;
    if (value.length() >= maxBatchBytes) {
      seal();
    }
    return inFlight == null ? Addition.READY : Addition.WAITING;
  }

  private LogValue valueFor(DecodedRecords decoded, long arrivalMicros) {
    if (open == null) {
      open = decoded.newValue(partition, arrivalMicros, expected);
    }
    return open;
  }

  private void seal() {
    expected = open.records();
    open.seal();
    sealed.add(open);
    open = null;
  }

  /** Takes the next value to send, which is then in flight; null if none is ready. */
  synchronized LogValue next() {
    if (inFlight != null || broken) {
      return null;
    }
    if (sealed.isEmpty() && open != null) {
      seal();
    }
    inFlight = sealed.poll();
    return inFlight;
  }

  synchronized void putBack(LogValue value) {
    if (inFlight == value) {
      sealed.addFirst(value);
      inFlight = null;
    }
  }

  synchronized boolean isReady() {
    return inFlight == null && !broken && hasWaiting();
  }

  private boolean hasWaiting() {
    return open != null || !sealed.isEmpty();
  }

  synchronized boolean isEmpty() {
    return inFlight == null && !hasWaiting();
  }

  synchronized boolean logged(LogValue value, long offset) {
    value.logged();
    nextOffset = Math.max(nextOffset, offset + 1);
    if (inFlight == value) {
      inFlight = null;
    }
    return hasWaiting();
  }

  /**
   * Marks the lane as failed, so that it rejects additions until {@link #reopen}; returns the
   * queued values in order.
   */
  synchronized List<LogValue> fail() {
    broken = true;
    if (open != null) {
      seal();
    }
    List<LogValue> all = new ArrayList<>();
    if (inFlight != null) {
      all.add(inFlight);
      inFlight = null;
    }
    all.addAll(sealed);
    sealed.clear();
    return all;
  }

  synchronized void reopen(long next) {
    nextOffset = Math.max(nextOffset, next);
    broken = false;
  }

  synchronized long nextOffset() {
    return nextOffset;
  }

  int partition() {
    return partition;
  }
}
