package io.millrace.analytics.trend;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.Serializable;
import java.time.Duration;

/**
 * Settings of the trend detection.
 *
 * @param bucket in which keywords are counted; a second to a day, a divisor or multiple of a minute
 * @param baseline what is expected of a keyword
 * @param buckets number of preceding buckets averaged, 1 to 60; no trends until they are complete
 * @param confidence of the Poisson interval around the expectation, above 0 and below 1
 * @param eta minimum score of a trend: half-widths of the interval above the expectation; above 0
 * @param prior minimum expectation of a keyword per bucket, and that of a new keyword; 0 or more
 * @param factor minimum ratio of count to expectation in a rise, or of expectation to count in a
 *     fall; 1 or more, 1 disables it
 * @param falls whether falls are trends too
 * @param keywords capacity in keywords, 1,024 or more; a keyword takes one more place for each 128
 *     bytes; beyond the capacity, a sketch admits keywords
 * @param seed of the sketch's hashes; random if clients choose the keywords
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
  /** Expectation that a count is compared with. */
  public enum Baseline {
    /** The mean of the preceding buckets. */
    RECENT,
    /**
     * The same hour of the past three weeks; the mean of the preceding buckets until it is known.
     */
    USUAL
  }

  private static final int MAX_BUCKETS = 60;
  private static final int MIN_KEYWORDS = 1_024;

  public TrendSettings {
    require(
        bucket.compareTo(Duration.ofSeconds(1)) >= 0 && bucket.compareTo(Duration.ofDays(1)) <= 0,
        "bucket: " + bucket + ", expected 1 second to 1 day");
    require(
        baseline == Baseline.RECENT || Duration.ofHours(1).toNanos() % bucket.toNanos() == 0,
        "bucket: " + bucket + ", expected a divisor of 1 hour with the usual baseline");
    require(
        buckets >= 1 && buckets <= MAX_BUCKETS,
        "buckets: " + buckets + ", expected 1 to " + MAX_BUCKETS);
    require(
        confidence > 0 && confidence < 1,
        "confidence: " + confidence + ", expected above 0 and below 1");
    require(eta > 0, "eta: " + eta + ", expected above 0");
    require(prior >= 0 && prior <= 1e6, "prior: " + prior + ", expected 0 to 1000000");
    require(factor >= 1, "factor: " + factor + ", expected 1 or more");
    require(
        keywords >= MIN_KEYWORDS,
        "keywords: " + keywords + ", expected " + MIN_KEYWORDS + " or more");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /**
   * Defaults: 1 minute, 5 buckets, confidence 99%, η 2.5, prior 1, factor 1.5, a million keywords.
   */
  public static TrendSettings defaults() {
    return new TrendSettings(
        Duration.ofMinutes(1), Baseline.RECENT, 5, 0.99, 2.5, 1, 1.5, false, 1 << 20, 0);
  }

  /** These settings with another rule. */
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
