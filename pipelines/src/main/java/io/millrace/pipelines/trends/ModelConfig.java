package io.millrace.pipelines.trends;

import io.millrace.analytics.trend.TrendSettings;
import io.millrace.analytics.trend.TrendSettings.Baseline;
import java.io.Serializable;
import java.time.Duration;

/**
 * What is a trend, as it is configured: {@link TrendSettings} without what a process chooses by
 * chance. Wrong values are refused here.
 *
 * @param bucket in which keywords are counted
 * @param baseline what is expected of a keyword
 * @param buckets over which the mean is taken
 * @param confidence of the Poisson interval
 * @param eta by how many half-widths of it a count exceeds the expectation
 * @param prior the least that is expected
 * @param factor the least rise
 * @param falls whether falls are trends too
 * @param keywords that are kept
 */
public record ModelConfig(
    Duration bucket,
    Baseline baseline,
    int buckets,
    double confidence,
    double eta,
    double prior,
    double factor,
    boolean falls,
    int keywords)
    implements Serializable {
  /** Checks each value. */
  public ModelConfig {
    new TrendSettings(
        bucket, baseline, buckets, confidence, eta, prior, factor, falls, keywords, 0);
  }

  /** The same as of some settings. */
  public static ModelConfig of(TrendSettings settings) {
    return new ModelConfig(
        settings.bucket(),
        settings.baseline(),
        settings.buckets(),
        settings.confidence(),
        settings.eta(),
        settings.prior(),
        settings.factor(),
        settings.falls(),
        settings.keywords());
  }

  /**
   * The same for the steps.
   *
   * @param seed of the sketches
   */
  public TrendSettings settings(long seed) {
    return new TrendSettings(
        bucket, baseline, buckets, confidence, eta, prior, factor, falls, keywords, seed);
  }
}
