package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Adaptive;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;

/**
 * The keys of a kind and a key group in an epoch: their weights, and the variances of these by
 * sampling. Not thread-safe.
 */
final class SampledCounts {
  private final Adaptive counts;

  /**
   * An empty table of what is counted in place of a kind.
   *
   * @param seed of all tables
   */
  SampledCounts(HitterSettings settings, int kind, int group, long seed) {
    counts =
        Adaptive.withVariances(
            settings.counted().get(kind).bytes(),
            settings.memory() / HitterSettings.GROUPS,
            settings.algorithm(kind),
            seedOf(settings, kind, group, seed));
  }

  /** What is drawn by chance is drawn apart, so that variances of groups add up. */
  static long seedOf(HitterSettings settings, int kind, int group, long seed) {
    return settings.algorithm(kind) == Algorithm.COCO ? DetailColumns.mix(seed + group) : seed;
  }

  /** Adds the rows of a block with variances. */
  void add(KeyBlock keys) {
    counts.update(keys);
  }

  /** Bytes that it holds. */
  long bytes() {
    return counts.bytes();
  }

  void merge(SampledCounts other) {
    counts.merge(other.counts);
  }

  /** The keys with their weights. */
  Adaptive weights() {
    return counts;
  }

  /** An upper bound of the variance of a key, in units of the measure. */
  long variance(Key key) {
    return counts.variance(key);
  }

  void write(BlockBuffer out) {
    counts.write(out);
  }

  void read(BlockInput in) {
    counts.read(in);
  }

  /** Adds what was written of another one. */
  void merge(BlockInput in) {
    counts.merge(in);
  }
}
