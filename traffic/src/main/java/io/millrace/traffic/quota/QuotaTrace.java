package io.millrace.traffic.quota;

import io.millrace.traffic.model.SplitMix;

/**
 * Synthetic usage records and streaming events: 59% are usage records, as in the published trace.
 * Usage per subscriber is fixed: 20% have used at least 90% of their limit. Of these, 50% have not
 * reached it, 30% have reached it, and 20% have also used up the complimentary quota. Times
 * increase evenly, with up to 100 ms of disorder. The same settings give the same records. Not
 * thread-safe.
 *
 * <p>Subscriber numbers begin with 999, which is unassigned.
 */
public final class QuotaTrace {
  /** Limit of all plans: 10 GB. */
  public static final long LIMIT = 10_000_000_000L;

  /** Complimentary quota, if any was granted. */
  public static final long GRANTED = 1_000_000_000L;

  private static final long FIRST_MSISDN = 999_000_000_000L;
  private static final int MAX_SUBSCRIBERS = 100_000_000;
  private static final int MAX_LATE_MICROS = 100_000;
  private static final int USAGE_IN_1024 = 604;
  private static final long STEP = 0x9E37_79B9_7F4A_7C15L;

  private final int subscribers;
  private final long startMicros;
  private final double microsARecord;
  private long state;
  private long made;

  private boolean isUsage;
  private long time;
  private long subscriber;
  private int level;

  /**
   * Creates a trace, before its first record.
   *
   * @param subscribers number of subscribers, 1 to 100,000,000
   * @param startMicros time of the first record
   * @param recordsPerSecond of event time, of both kinds together; more than 0
   * @param seed of all choices
   */
  public QuotaTrace(int subscribers, long startMicros, double recordsPerSecond, long seed) {
    if (subscribers < 1 || subscribers > MAX_SUBSCRIBERS) {
      throw new IllegalArgumentException(
          "subscribers: " + subscribers + ", expected 1 to " + MAX_SUBSCRIBERS);
    }
    if (!(recordsPerSecond > 0)) {
      throw new IllegalArgumentException(
          "records per second: " + recordsPerSecond + ", expected above 0");
    }
    this.subscribers = subscribers;
    this.startMicros = startMicros;
    microsARecord = 1e6 / recordsPerSecond;
    state = SplitMix.mix(seed);
  }

  /** Moves to the next record. */
  public void next() {
    state += STEP;
    long random = SplitMix.mix(state);
    isUsage = (random & 1_023) < USAGE_IN_1024;
    subscriber = ((random >>> 32) * subscribers) >>> 32;
    level = (int) Long.remainderUnsigned(SplitMix.mix(subscriber), 100);
    long disorder = (((random >>> 10) & 0xFFFF) * MAX_LATE_MICROS) >>> 16;
    time = moment() + MAX_LATE_MICROS - disorder;
    made++;
  }

  /** Time of the next record without disorder. */
  public long moment() {
    return startMicros + (long) (made * microsARecord);
  }

  /** Whether the record is a usage record; otherwise it is a streaming event. */
  public boolean isUsage() {
    return isUsage;
  }

  /** Time of the record, microseconds since the epoch. */
  public long time() {
    return time;
  }

  /** Subscriber of the record. */
  public long msisdn() {
    return FIRST_MSISDN + subscriber;
  }

  /** Usage in a usage record; below, at or above {@link #LIMIT}. */
  public long used() {
    int percent = level >= 20 ? level - 11 : level >= 10 ? 90 + level - 10 : 100 + level;
    return LIMIT / 100 * percent;
  }

  /** Complimentary quota that was granted: 0, or {@link #GRANTED}. */
  public long granted() {
    return level < 7 ? GRANTED : 0;
  }

  /** Used part of the granted quota. */
  public long complimentaryUsed() {
    return level < 4 ? GRANTED : granted() / 2;
  }
}
