package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Adaptive;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;

/**
 * Weights of the keys of one kind and key group in one epoch, with their sampling variances. Not
 * thread-safe.
 */
final class SampledCounts {
  private final Adaptive counts;

  SampledCounts(HitterSettings settings, int kind, int group, long seed) {
    counts =
        Adaptive.withVariances(
            settings.counted().get(kind).bytes(),
            settings.memory() / HitterSettings.GROUPS,
            settings.algorithm(kind),
            seedOf(settings, kind, group, seed));
  }

  /**
   * Seed of a table. {@link Algorithm#COCO} draws at random and gets a seed for each group: so
   * draws are independent, and variances of groups add up.
   */
  static long seedOf(HitterSettings settings, int kind, int group, long seed) {
    return settings.algorithm(kind) == Algorithm.COCO ? DetailColumns.mix(seed + group) : seed;
  }

  void add(KeyBlock keys) {
    counts.update(keys);
  }

  long bytes() {
    return counts.bytes();
  }

  void merge(SampledCounts other) {
    counts.merge(other.counts);
  }

  Adaptive weights() {
    return counts;
  }

  /** Upper bound of the variance of a key, in units of the measure. */
  long variance(Key key) {
    return counts.variance(key);
  }

  void write(BlockBuffer out) {
    counts.write(out);
  }

  void read(BlockInput in) {
    counts.read(in);
  }

  void merge(BlockInput in) {
    counts.merge(in);
  }
}
