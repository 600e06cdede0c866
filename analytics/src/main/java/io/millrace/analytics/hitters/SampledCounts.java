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
  /** What sums of a table may come to, so that those of all tables stay below 2⁶². */
  private static final long FULL = HitterKeys.HEAVIEST;

  private final Adaptive weights;
  private final Adaptive variances;

  /**
   * An empty table of what is counted in place of a kind.
   *
   * @param seed of all tables
   */
  SampledCounts(HitterSettings settings, int kind, int group, long seed) {
    int keyBytes = settings.counted().get(kind).bytes();
    Algorithm second = settings.algorithm(kind);
    long memory = settings.memory() / HitterSettings.GROUPS / 2;
    // What is drawn by chance is drawn apart, so that variances of groups add up.
    long own = second == Algorithm.COCO ? DetailColumns.mix(seed + group) : seed;
    weights = new Adaptive(keyBytes, memory, second, own);
    variances = new Adaptive(keyBytes, memory, second, own);
  }

  /**
   * Adds the rows of a block, unless sums grow beyond all traffic.
   *
   * @param keys with their weights, in whose place are the variances then
   * @param variance of each row
   * @return whether they were added
   */
  boolean add(KeyBlock keys, long[] variance) {
    int rows = keys.rows();
    double weight = weights.total();
    double spread = variances.total();
    for (int row = 0; row < rows; row++) {
      weight += keys.weights()[row];
      spread += variance[row];
    }
    if (weight > FULL || spread > FULL) {
      return false;
    }
    weights.update(keys);
    if (spread > variances.total()) {
      System.arraycopy(variance, 0, keys.weights(), 0, rows);
      variances.update(keys);
    }
    return true;
  }

  /** Bytes that it holds. */
  long bytes() {
    return weights.bytes() + variances.bytes();
  }

  void merge(SampledCounts other) {
    weights.merge(other.weights);
    variances.merge(other.variances);
  }

  Adaptive weights() {
    return weights;
  }

  Adaptive variances() {
    return variances;
  }

  /** An upper bound of the variance of a key, in units of the measure. */
  long variance(Key key) {
    return variances.estimate(key).upper();
  }

  void write(BlockBuffer out) {
    weights.write(out);
    variances.write(out);
  }

  void read(BlockInput in) {
    weights.read(in);
    variances.read(in);
  }
}
