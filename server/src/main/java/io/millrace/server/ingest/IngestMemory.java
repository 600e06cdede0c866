package io.millrace.server.ingest;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Memory limit for unacknowledged records and unfinished requests of all streams. Thread-safe. */
final class IngestMemory {
  private final long bufferBytes;
  private final SenderShares senders;
  private final AtomicLong waitingBytes = new AtomicLong();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  IngestMemory(IngestConfig config) {
    bufferBytes = config.bufferBytes();
    // One body, compressed and decompressed, must fit into half of it.
    senders = new SenderShares(Math.max(bufferBytes, 4L * config.maxBodyBytes()));
  }

  boolean isFree() {
    return waitingBytes.get() < bufferBytes;
  }

  long waitingBytes() {
    return waitingBytes.get();
  }

  /** Registers a task that runs whenever half of the buffer has become free. */
  void onRoom(Runnable task) {
    listeners.add(task);
  }

  void add(long bytes) {
    waitingBytes.addAndGet(bytes);
  }

  void giveBack(long bytes) {
    if (waitingBytes.addAndGet(-bytes) <= bufferBytes / 2) {
      listeners.forEach(Runnable::run);
    }
  }

  /**
   * Reserves memory for a sender, until {@link #giveBack}. Returns false, and reserves nothing, if
   * the sender would exceed its share.
   */
  boolean hold(Object sender, long bytes) {
    if (!senders.hold(sender, bytes)) {
      return false;
    }
    waitingBytes.addAndGet(bytes);
    return true;
  }

  void giveBack(Object sender, long bytes) {
    if (bytes > 0) {
      senders.giveBack(sender, bytes);
      giveBack(bytes);
    }
  }
}
