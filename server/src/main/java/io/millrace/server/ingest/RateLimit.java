package io.millrace.server.ingest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Token bucket of records a second by sender, holding one second's worth. A sender may overdraw it
 * and then waits, so large requests need no higher rate.
 *
 * <p>At the limit of senders the longest idle one, whose bucket is full, is evicted. Thread-safe.
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

  /** 0 if the sender may send now. */
  long waitNanos(Object sender) {
    return take(sender, 0);
  }

  /** Nanoseconds until the sender may send again; 0 for now. */
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
