package io.millrace.server.ingest;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory that senders hold for what is not ready for the log: bodies and messages of which a part
 * has come, what they are unpacked to, and answers that nobody reads.
 *
 * <p>A sender may hold as much as is free. So one alone gets half of all, two that want all get a
 * third each, and however many there are, as much as each of them has is left for the next one
 * (dynamic thresholds: Choudhury and Hahne, 1998). A sender that holds nothing is forgotten.
 *
 * <p>Thread-safe.
 */
final class SenderMemory {
  private final long most;
  private final AtomicLong all = new AtomicLong();
  private final Map<Object, Long> held = new ConcurrentHashMap<>();

  /**
   * @param most bytes that all hold together
   */
  SenderMemory(long most) {
    this.most = most;
  }

  /** Takes bytes for a sender, to be given back; false if it holds too much already. */
  boolean hold(Object sender, long bytes) {
    long own = held.merge(sender, bytes, Long::sum);
    if (own > most - all.addAndGet(bytes)) {
      giveBack(sender, bytes);
      return false;
    }
    return true;
  }

  void giveBack(Object sender, long bytes) {
    all.addAndGet(-bytes);
    held.computeIfPresent(sender, (key, own) -> own == bytes ? null : own - bytes);
  }
}
