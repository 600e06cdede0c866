package io.millrace.server.ingest;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What waits for one partition, in the order in which it will stand there.
 *
 * <pre>
 *   requests, frames ──► open, one a kind ──► sealed, a queue ──► in flight, one ──► log
 * </pre>
 *
 * Never is a second value given to the log before it has answered for the first: were the first
 * lost and the second kept, a client's later frames would be there and earlier ones not. While a
 * value is in flight the next one fills, so a busy partition gets large values without a wait.
 *
 * <p>Thread-safe: guarded by itself.
 */
final class Lane {
  private final int partition;
  private final int maxBatchBytes;
  private final int maxValueBytes;
  private final LogValue[] open;
  private final ArrayDeque<LogValue> sealed = new ArrayDeque<>();
  private int openValues;
  private LogValue inFlight;
  private boolean broken;
  private long nextOffset;

  /**
   * @param kinds of values that are filled beside each other
   * @param maxBatchBytes a value of so many bytes is not added to
   * @param maxValueBytes longest value that the log takes
   */
  Lane(int partition, int kinds, int maxBatchBytes, int maxValueBytes) {
    this.partition = partition;
    open = new LogValue[kinds];
    this.maxBatchBytes = maxBatchBytes;
    this.maxValueBytes = maxValueBytes;
  }

  /** What became of records that were added. */
  enum Addition {
    /** They wait behind a value that is in flight. */
    WAITING,
    /** They can be sent. */
    READY,
    /** They had been taken before, and are not taken again. */
    TAKEN_BEFORE,
    /** The lane is broken, and they were not taken. */
    REFUSED
  }

  /**
   * Adds those rows that belong here.
   *
   * @param first the first of them; {@link Decoding#next} gives the others
   * @param receipt told when they are in the log; null if nobody waits
   * @param client whose frame they are of; null for none
   * @param bytes takes in {@code [0]} by how much more waits than before
   */
  synchronized Addition add(
      Decoding decoded,
      int first,
      Receipt receipt,
      ClientFrames client,
      long frame,
      long arrivalMicros,
      long[] bytes) {
    bytes[0] = 0;
    if (broken) {
      return Addition.REFUSED;
    }
    if (client != null && frame <= client.taken(partition)) {
      return Addition.TAKEN_BEFORE;
    }
    LogValue value = valueFor(decoded, client, arrivalMicros);
    if (value.records() > 0
        && value.length() + decoded.mostBytes() > maxValueBytes - LogValue.MOST_FRAMING_BYTES) {
      seal(value);
      value = valueFor(decoded, client, arrivalMicros);
    }
    int before = value.records() == 0 ? 0 : value.length();
    for (int row = first; row >= 0; row = decoded.next(row)) {
      value.add(decoded, row);
    }
    if (receipt != null) {
      value.add(receipt);
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
      seal(value);
    }
    return inFlight == null ? Addition.READY : Addition.WAITING;
  }

  private LogValue valueFor(Decoding decoded, ClientFrames client, long arrivalMicros) {
    int kind = decoded.kind();
    if (client != null) {
      LogValue other = client.open[partition];
      if (other != null && other.kind() != kind) {
        seal(other); // so that the client's frames stay in their order
      }
    }
    LogValue value = open[kind];
    if (value == null) {
      value = decoded.newValue(partition, arrivalMicros);
      open[kind] = value;
      openValues++;
    }
    return value;
  }

  private void seal(LogValue value) {
    open[value.kind()] = null;
    openValues--;
    value.seal();
    sealed.add(value);
  }

  /**
   * Takes the next value to send, which is in flight then; null if there is none to be sent now.
   */
  synchronized LogValue next() {
    if (inFlight != null || broken) {
      return null;
    }
    if (sealed.isEmpty() && openValues > 0) {
      for (LogValue value : open) {
        if (value != null) {
          seal(value);
        }
      }
    }
    inFlight = sealed.poll();
    return inFlight;
  }

  /** The log had no room for the value that {@link #next} gave. */
  synchronized void putBack(LogValue value) {
    if (inFlight == value) {
      sealed.addFirst(value);
      inFlight = null;
    }
  }

  /** Whether {@link #next} would give something. */
  synchronized boolean isReady() {
    return inFlight == null && !broken && hasWaiting();
  }

  private boolean hasWaiting() {
    return openValues > 0 || !sealed.isEmpty();
  }

  /** Whether nothing waits and nothing is in flight. */
  synchronized boolean isEmpty() {
    return inFlight == null && !hasWaiting();
  }

  /**
   * The log has the value in flight.
   *
   * @return whether another one can be sent
   */
  synchronized boolean logged(LogValue value, long offset) {
    value.logged();
    nextOffset = Math.max(nextOffset, offset + 1);
    if (inFlight == value) {
      inFlight = null;
    }
    return hasWaiting();
  }

  /** Refuses all from now on, until {@link #mend}; gives what was waiting, in its order. */
  synchronized List<LogValue> breakOff() {
    broken = true;
    for (LogValue value : open) {
      if (value != null) {
        seal(value);
      }
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

  /** Goes on, behind that offset. */
  synchronized void mend(long next) {
    nextOffset = Math.max(nextOffset, next);
    broken = false;
  }

  /** The offset behind the last value that the log is known to have of us. */
  synchronized long nextOffset() {
    return nextOffset;
  }

  int partition() {
    return partition;
  }
}
