package io.millrace.server.ingest;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory shares of senders for unfinished bodies and messages, decompressed data and unread
 * responses.
 *
 * <p>A sender may hold at most as much as is free: a single one gets half, two get a third each,
 * and so on (dynamic thresholds: Choudhury and Hahne, 1998). Thread-safe.
 */
final class SenderShares {
  private final long max;
  private final AtomicLong all = new AtomicLong();
  private final Map<Object, Long> held = new ConcurrentHashMap<>();

  SenderShares(long max) {
    this.max = max;
  }

  /** Reserves memory; false if the sender would exceed its share. */
  boolean hold(Object sender, long bytes) {
    long own = held.merge(sender, bytes, Long::sum);
    if (own > max - all.addAndGet(bytes)) {
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
