package io.millrace.server.ingest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Records a second of each sender: a bucket that fills at that rate and holds a second's worth. A
 * sender may take while there is anything in it, and what it takes beyond is a debt to wait for; so
 * large requests need no rate as large.
 *
 * <p>Senders that nobody has heard of for longest are forgotten when there are too many; their
 * buckets are full then. Thread-safe.
 */
final class RateLimit {
  private static final int MOST_SENDERS = 100_000;
  private static final double NANOS = 1e9;

  private final double rate;
  private final LongSupplier nanoTime;
  private final Map<Object, Bucket> buckets =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Bucket> eldest) {
          return size() > MOST_SENDERS;
        }
      };

  private static final class Bucket {
    private double level;
    private long nanos;
  }

  /**
   * @param rate records a second; 0 for no limit
   */
  RateLimit(long rate, LongSupplier nanoTime) {
    this.rate = rate;
    this.nanoTime = nanoTime;
  }

  boolean isOff() {
    return rate <= 0;
  }

  /** Nanoseconds until the sender may send; 0 for now. */
  long waitNanos(Object sender) {
    return take(sender, 0);
  }

  /**
   * Counts records of a sender.
   *
   * @return nanoseconds until it may send again; 0 for now
   */
  synchronized long take(Object sender, int records) {
    if (isOff()) {
      return 0;
    }
    long now = nanoTime.getAsLong();
    Bucket bucket = buckets.get(sender);
    if (bucket == null) {
      bucket = new Bucket();
      bucket.level = rate;
      bucket.nanos = now;
      buckets.put(sender, bucket);
    }
    bucket.level =
        Math.min(rate, bucket.level + (double) (now - bucket.nanos) / NANOS * rate) - records;
    bucket.nanos = now;
    return bucket.level > 0 ? 0 : (long) Math.ceil((1 - bucket.level) / rate * NANOS);
  }
}
