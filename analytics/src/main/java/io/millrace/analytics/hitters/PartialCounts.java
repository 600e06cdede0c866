package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Adaptive;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.sketch.ExactCounts;
import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * Counts of partial keys: sums over all tables of the full keys. Exact if the tables are exact;
 * otherwise unbiased, as sums of unbiased estimates.
 *
 * <p>Key groups draw independently, so the variances of their sums add up. By Chebyshev's
 * inequality a sum is off by more than √20 of its standard deviation with a probability of at most
 * 5%.
 */
final class PartialCounts implements EpochCounts {
  private static final int ROWS = 1 << 10;

  private static final long MAX_BYTES = 8L << 30;

  private final CountTables tables;
  private final PartialKeys parts;
  private final KeyBlock block;
  private final ExactCounts weights;
  private final ExactCounts variances;
  private final Algorithm algorithm;

  PartialCounts(HitterKind kind, CountTables tables, long seed) {
    this.tables = tables;
    parts = new PartialKeys(kind, tables.counted());
    block = parts.block(ROWS);
    weights = new ExactCounts(kind.bytes(), MAX_BYTES, seed);
    variances = new ExactCounts(kind.bytes(), MAX_BYTES, seed);
    Algorithm min = Algorithm.EXACT;
    tables.forEachExact(
        ROWS,
        keys -> {
          add(keys, weights);
          add(keys.ofVariances(), variances);
        });
    for (SampledCounts group : tables.sketchedGroups()) {
      addTo(weights, group.weights().weights());
      addTo(variances, group.weights().variances());
      min = group.weights().isExact() ? min : group.weights().algorithm();
    }
    algorithm = min;
  }

  private void addTo(ExactCounts sums, Adaptive.Sums counts) {
    counts.forEachBlock(ROWS, keys -> add(keys, sums));
  }

  private void add(KeyBlock keys, ExactCounts sums) {
    parts.write(keys, block);
    sums.update(block);
  }

  @Override
  public long total() {
    return tables.total();
  }

  @Override
  public List<Hitter> hitters(long threshold) {
    return weights.hitters(threshold);
  }

  @Override
  public void forEachWeight(LongConsumer reader) {
    weights.forEachWeight(reader);
  }

  @Override
  public long value(Key key) {
    return weights.weight(key);
  }

  @Override
  public Map<Key, KeyEstimate> known(Collection<Key> keys) {
    Map<Key, Double> ofWeights = chance(keys, Adaptive::weights);
    Map<Key, Double> ofVariances = chance(keys, Adaptive::variances);
    Map<Key, KeyEstimate> known = new HashMap<>();
    long max = tables.totalVariance();
    for (Key key : keys) {
      known.put(
          key,
          new KeyEstimate(
              Adaptive.spread(weights.weight(key), ofWeights.get(key), total()),
              Adaptive.spread(variances.weight(key), ofVariances.get(key), max).upper(),
              algorithm.label()));
    }
    return known;
  }

  private Map<Key, Double> chance(Collection<Key> keys, Function<Adaptive, Adaptive.Sums> counted) {
    Map<Key, Double> chance = new HashMap<>();
    keys.forEach(key -> chance.put(key, 0.0));
    for (SampledCounts group : tables.sketchedGroups()) {
      Adaptive.Sums counts = counted.apply(group.weights());
      if (!counts.isExact()) {
        Map<Key, Long> sums = new HashMap<>();
        counts.forEachBlock(
            ROWS,
            longer -> {
              parts.write(longer, block);
              for (int row = 0; row < block.rows(); row++) {
                Key key = block.key(row);
                if (chance.containsKey(key)) {
                  sums.merge(key, block.weights()[row], Long::sum);
                }
              }
            });
        chance.replaceAll((key, sum) -> sum + counts.variance(sums.getOrDefault(key, 0L)));
      }
    }
    return chance;
  }
}
