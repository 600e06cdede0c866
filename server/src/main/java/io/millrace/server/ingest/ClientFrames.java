package io.millrace.server.ingest;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Progress of a client's frames in each partition: taken by its lane, and logged.
 *
 * <p>A client numbers its frames from 1, and their records are added to each partition in that
 * order. So two numbers per partition suffice: all frames up to the first are <em>taken</em> by its
 * lane, all frames up to the second are <em>logged</em>. A resent frame is written only to
 * partitions that have not taken it, because the process may have been killed between two
 * partitions.
 *
 * <p>{@code taken} is written under the lane's lock, {@code logged} by the log's completion thread
 * in order; both may be read by any thread.
 */
final class ClientFrames {
  private final String id;
  private final byte[] utf8;
  private final AtomicLongArray taken;
  private final AtomicLongArray logged;

  /** By lane, the open value with frames of this client; guarded by the lane's lock. */
  final LogValue[] open;

  private volatile long received;
  private volatile RecordSocket socket;
  private volatile long lastContactNanos;

  ClientFrames(String id, int partitions) {
    this.id = id;
    utf8 = id == null ? null : id.getBytes(StandardCharsets.UTF_8);
    taken = new AtomicLongArray(partitions);
    logged = new AtomicLongArray(partitions);
    open = new LogValue[partitions];
  }

  /** Id of the client; null if anonymous. */
  String id() {
    return id;
  }

  byte[] utf8() {
    return utf8;
  }

  long taken(int partition) {
    return taken.get(partition);
  }

  void take(int partition, long frame) {
    taken.set(partition, frame);
  }

  long logged(int partition) {
    return logged.get(partition);
  }

  void log(int partition, long frame) {
    if (frame > logged.get(partition)) {
      logged.set(partition, frame);
    }
  }

  /** Restores progress from the log, when nothing is in flight. */
  void restore(int partition, long frame) {
    log(partition, frame);
    taken.set(partition, logged.get(partition));
  }

  long last() {
    long last = 0;
    for (int i = 0; i < taken.length(); i++) {
      last = Math.max(last, taken.get(i));
    }
    return last;
  }

  /** Records that all frames up to this one were added to lanes, or rejected with a message. */
  void receive(long frame) {
    received = frame;
  }

  long received() {
    return received;
  }

  /**
   * Number of the last frame up to which all are settled, that is logged or rejected. A lower bound
   * while frames are in flight.
   */
  long settled() {
    // Read first, so that the lanes have taken all records of these frames.
    long settled = received;
    for (int i = 0; i < taken.length(); i++) {
      long there = logged.get(i);
      if (there < taken.get(i)) {
        settled = Math.min(settled, there);
      }
    }
    return settled;
  }

  boolean isIdle() {
    return socket == null && isSettled();
  }

  private boolean isSettled() {
    for (int i = 0; i < taken.length(); i++) {
      if (logged.get(i) < taken.get(i)) {
        return false;
      }
    }
    return true;
  }

  RecordSocket socket() {
    return socket;
  }

  /** Sets the client's connection; returns the previous one, or null. */
  synchronized RecordSocket attach(RecordSocket newer) {
    RecordSocket older = socket;
    socket = newer;
    return older;
  }

  void touch(long nanoTime) {
    lastContactNanos = nanoTime;
  }

  /** Time of the last contact other than frames. */
  long lastContactNanos() {
    return lastContactNanos;
  }

  synchronized void detach(RecordSocket ended) {
    touch(System.nanoTime());
    if (socket == ended) {
      socket = null;
    }
  }
}
