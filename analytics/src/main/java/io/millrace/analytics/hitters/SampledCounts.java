package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Adaptive;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;

/**
 * The weights of the keys of one kind and one key group in one epoch, and the variances that
 * sampling adds to these weights. Not thread-safe.
 */
final class SampledCounts {
  private final Adaptive counts;

  /**
   * An empty table for a kind and a key group.
   *
   * @param kind index of the kind in {@link HitterSettings#counted()}
   * @param seed shared by all tables of a job
   */
  SampledCounts(HitterSettings settings, int kind, int group, long seed) {
    counts =
        Adaptive.withVariances(
            settings.counted().get(kind).bytes(),
            settings.memory() / HitterSettings.GROUPS,
            settings.algorithm(kind),
            seedOf(settings, kind, group, seed));
  }

  /**
   * The seed of a table. Tables of {@link Algorithm#COCO}, which draws at random, have a seed of
   * their own for each group: draws are then independent, and the variances of groups may be added.
   */
  static long seedOf(HitterSettings settings, int kind, int group, long seed) {
    return settings.algorithm(kind) == Algorithm.COCO ? DetailColumns.mix(seed + group) : seed;
  }

  /** Adds the rows of a block with variances. */
  void add(KeyBlock keys) {
    counts.update(keys);
  }

  /** Memory of the table in bytes. */
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

  /** Adds another table, as {@link #write} wrote it. */
  void merge(BlockInput in) {
    counts.merge(in);
  }
}
