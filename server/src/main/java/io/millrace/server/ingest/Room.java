package io.millrace.server.ingest;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for what was received and is not in the log: what waits for it, and what senders have
 * begun and not ended. One for all streams. Thread-safe.
 */
final class Room {
  private final long bufferBytes;
  private final SenderMemory senders;
  private final AtomicLong waitingBytes = new AtomicLong();
  private final List<Runnable> told = new CopyOnWriteArrayList<>();

  Room(IngestConfig config) {
    bufferBytes = config.bufferBytes();
    // So that one body, compressed and decompressed, fits into half of it.
    senders = new SenderMemory(Math.max(bufferBytes, 4L * config.maxBodyBytes()));
  }

  /** Whether less waits than may. */
  boolean isFree() {
    return waitingBytes.get() < bufferBytes;
  }

  /** Bytes that wait for the log, or for its answer, or for the end of a body. */
  long waitingBytes() {
    return waitingBytes.get();
  }

  /** Runs the task each time when half of the buffer has become free. */
  void onRoom(Runnable task) {
    told.add(task);
  }

  /** Counts bytes that wait, or do so no longer; nobody is told. */
  void add(long bytes) {
    waitingBytes.addAndGet(bytes);
  }

  /** Bytes do not wait any longer. */
  void giveBack(long bytes) {
    if (waitingBytes.addAndGet(-bytes) <= bufferBytes / 2) {
      told.forEach(Runnable::run);
    }
  }

  /**
   * Counts bytes that a sender holds before they are decoded, or after; to be given back. False if
   * it holds too much: nothing is counted then.
   */
  boolean hold(Object sender, long bytes) {
    if (!senders.hold(sender, bytes)) {
      return false;
    }
    waitingBytes.addAndGet(bytes);
    return true;
  }

  /** Gives back what {@link #hold} has counted. */
  void giveBack(Object sender, long bytes) {
    if (bytes > 0) {
      senders.giveBack(sender, bytes);
      giveBack(bytes);
    }
  }
}
