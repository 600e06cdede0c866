package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Estimate;
import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

/** Merged counts of a kind in an epoch over all subtasks. Not thread-safe. */
interface EpochCounts {
  /**
   * Estimate of a key and its variance.
   *
   * @param variance upper bound of the sampling variance of its weight, in units of the measure
   * @param algorithm label of the algorithm that counted it
   */
  record KeyEstimate(Estimate estimate, long variance, String algorithm) {}

  /** Weight of all keys. */
  long total();

  /** Keys whose estimates reach a threshold, unordered. */
  List<Hitter> hitters(long threshold);

  /**
   * Passes the weight of each key; for sketches, the upper bound of each candidate's estimate, of
   * some candidates twice.
   */
  void forEachWeight(LongConsumer reader);

  /**
   * The heaviest keys from the threshold on, unordered: at least {@code max} if there are that
   * many, including all ties with the last one. Two passes over the weights are much cheaper than
   * sorting.
   */
  default List<Hitter> heaviest(long threshold, int max) {
    LargestWeights largest = new LargestWeights(max, threshold);
    forEachWeight(largest::add);
    long from = largest.min();
    List<Hitter> found = hitters(from);
    while (found.size() < max && from > threshold) { // weights are upper bounds of estimates
      from = Math.max(threshold, from / 2);
      found = hitters(from);
    }
    return found;
  }

  /** The estimate of a key. */
  long value(Key key);

  /** Estimates of those of the given keys that are known. */
  Map<Key, KeyEstimate> known(Collection<Key> keys);

  /**
   * Keys whose estimates differ from an earlier epoch's by the threshold or more, unordered: one of
   * the two estimates reaches it too. The returned estimates are the changes.
   */
  default List<Hitter> changers(EpochCounts before, long threshold) {
    return changers(before, hitters(threshold), before.hitters(threshold), threshold);
  }

  /**
   * The keys that have changed most, unordered: at least {@code max} if there are that many. The
   * changes of a subset of the heaviest keys give a threshold that the largest changes reach.
   */
  default List<Hitter> changers(EpochCounts before, long threshold, int max) {
    // Most of the heaviest keys change little, so more of them than {@code max} are examined.
    int looked = Math.max(max, Math.min(32 * max, 10_000));
    long[] changes =
        changers(before, heaviest(threshold, looked), before.heaviest(threshold, looked), threshold)
            .stream()
            .mapToLong(changer -> Math.abs(changer.estimate().value()))
            .sorted()
            .toArray();
    return changers(before, changes.length < max ? threshold : changes[changes.length - max]);
  }

  private List<Hitter> changers(
      EpochCounts before, List<Hitter> heavy, List<Hitter> were, long threshold) {
    Set<Key> candidates = new LinkedHashSet<>();
    heavy.forEach(hitter -> candidates.add(hitter.key()));
    were.forEach(hitter -> candidates.add(hitter.key()));
    List<Hitter> changers = new ArrayList<>();
    for (Key key : candidates) {
      long change = value(key) - before.value(key);
      if (Math.abs(change) >= threshold) {
        changers.add(new Hitter(key, new Estimate(change, change, change)));
      }
    }
    return changers;
  }
}
