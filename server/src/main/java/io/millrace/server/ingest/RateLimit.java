package io.millrace.server.ingest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Token bucket of records by sender, with the records of one second as capacity. A sender may
 * overdraw it and must then wait, so large requests do not require a higher rate.
 *
 * <p>At the maximum number of senders, the longest idle one is evicted. Thread-safe.
 */
final class RateLimit {
  private static final int MAX_SENDERS = 100_000;
  private static final double NANOS = 1e9;

  private final double rate;
  private final LongSupplier nanoTime;
  private final Map<Object, Bucket> buckets =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Bucket> eldest) {
          return size() > MAX_SENDERS;
        }
      };

  private static final class Bucket {
    private double level;
    private long nanos;
  }

  RateLimit(long rate, LongSupplier nanoTime) {
    this.rate = rate;
    this.nanoTime = nanoTime;
  }

  boolean isOff() {
    return rate <= 0;
  }

  /** Time until the sender may send; 0 if it may send now. */
  long waitNanos(Object sender) {
    return take(sender, 0);
  }

  /** Takes records; returns the nanoseconds until the sender may send again, 0 for now. */
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
