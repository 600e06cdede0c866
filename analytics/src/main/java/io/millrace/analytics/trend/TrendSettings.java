package io.millrace.analytics.trend;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.Serializable;
import java.time.Duration;

/**
 * How trends are found.
 *
 * @param bucket in which keywords are counted; a second to a day, a divisor or multiple of a minute
 * @param baseline what is expected of a keyword
 * @param buckets before, over which the mean is taken; 1 to 60, and 1 is the bucket before alone.
 *     Nothing is judged before so many are known
 * @param confidence of the Poisson interval round the expectation, above 0 and below 1
 * @param eta by how many half-widths of that interval a count exceeds the expectation, above 0
 * @param prior the least that is expected of any keyword a bucket, and all that is expected of one
 *     never seen before; 0 or more
 * @param factor the least by which the expectation is multiplied in a rise, and divided in a fall,
 *     however sure it is; from 1 on, which asks for nothing
 * @param falls whether falls are trends too
 * @param keywords that are kept, from 1,024 on, of which one takes the place of several for each
 *     128 bytes more; what does not fit passes a sketch
 * @param seed of the sketch's hashes; by chance where strangers name the keywords
 */
@RecordBuilder
public record TrendSettings(
    Duration bucket,
    Baseline baseline,
    int buckets,
    double confidence,
    double eta,
    double prior,
    double factor,
    boolean falls,
    int keywords,
    long seed)
    implements TrendSettingsBuilder.With, Serializable {
  /** What a count is compared with. */
  public enum Baseline {
    /** The mean of the buckets before. */
    RECENT,
    /**
     * The same hour of the past three weeks, or the mean of the buckets before until it is known.
     */
    USUAL
  }

  private static final int MOST_BUCKETS = 60;
  private static final int LEAST_KEYWORDS = 1_024;

  /** Checks the numbers. */
  public TrendSettings {
    require(
        bucket.compareTo(Duration.ofSeconds(1)) >= 0 && bucket.compareTo(Duration.ofDays(1)) <= 0,
        "a bucket of " + bucket + ": a second to a day");
    require(
        baseline == Baseline.RECENT || Duration.ofHours(1).toNanos() % bucket.toNanos() == 0,
        "a bucket of " + bucket + ", with what is usual at an hour: it has to divide the hour");
    require(buckets >= 1 && buckets <= MOST_BUCKETS, buckets + " buckets: 1 to " + MOST_BUCKETS);
    require(confidence > 0 && confidence < 1, "confidence " + confidence + ": above 0, below 1");
    require(eta > 0, "eta " + eta + ": above 0");
    require(prior >= 0 && prior <= 1e6, "prior " + prior + ": 0 to 1000000");
    require(factor >= 1, "factor " + factor + ": from 1 on");
    require(keywords >= LEAST_KEYWORDS, keywords + " keywords: from " + LEAST_KEYWORDS + " on");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** A minute, the mean of five before, 99%, η 2.5, one expected, half as much again, a million. */
  public static TrendSettings defaults() {
    return new TrendSettings(
        Duration.ofMinutes(1), Baseline.RECENT, 5, 0.99, 2.5, 1, 1.5, false, 1 << 20, 0);
  }

  /** The same with another rule. */
  public TrendSettings withRule(double otherEta, double otherPrior, double otherFactor) {
    return TrendSettingsBuilder.builder(this)
        .eta(otherEta)
        .prior(otherPrior)
        .factor(otherFactor)
        .build();
  }

  /** Length of a bucket in microseconds. */
  public long bucketMicros() {
    return bucket.toNanos() / 1_000;
  }
}
