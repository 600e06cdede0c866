package io.millrace.pipelines.trends;

import io.millrace.analytics.trend.TrendSettings;
import io.millrace.analytics.trend.TrendSettings.Baseline;
import java.io.Serializable;
import java.time.Duration;

/**
 * Settings of the trend model: {@link TrendSettings} without the random seed. Invalid values are
 * rejected here.
 *
 * @param bucket in which keywords are counted
 * @param baseline expected count of a keyword
 * @param buckets number of preceding buckets averaged
 * @param confidence of the Poisson interval
 * @param eta number of half-widths of that interval by which a count must exceed the expectation
 * @param prior minimum expected count
 * @param factor minimum ratio of count to expectation
 * @param falls whether falls are trends too
 * @param keywords maximum number of keywords in memory
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
  public ModelConfig {
    new TrendSettings(
        bucket, baseline, buckets, confidence, eta, prior, factor, falls, keywords, 0);
  }

  /** The configuration that corresponds to {@code settings}. */
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
   * The settings with a seed.
   *
   * @param seed of the sketches
   */
  public TrendSettings settings(long seed) {
    return new TrendSettings(
        bucket, baseline, buckets, confidence, eta, prior, factor, falls, keywords, seed);
  }
}
