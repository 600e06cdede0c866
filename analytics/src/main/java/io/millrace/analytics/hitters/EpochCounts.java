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

/** What was counted of a kind in an epoch, by all subtasks together. Not thread-safe. */
interface EpochCounts {
  /**
   * What is known of a key.
   *
   * @param variance at most, of its weight by sampling; in units of the measure
   * @param algorithm that has counted it, by its label
   */
  record KeyEstimate(Estimate estimate, long variance, String algorithm) {}

  /** Weight of all keys. */
  long total();

  /** Keys whose estimates reach a threshold, in no order. */
  List<Hitter> hitters(long threshold);

  /**
   * Tells the weight of each key; where a sketch counts, upper bounds of the estimates of its
   * candidates, some of them twice.
   */
  void forEachWeight(LongConsumer reader);

  /**
   * The heaviest of these keys, in no order: as many as are wanted or more, if there are so many;
   * all of those that weigh the same as the last one are among them. Two looks at all weights take
   * far less than to sort the keys.
   */
  default List<Hitter> heaviest(long threshold, int most) {
    LargestWeights largest = new LargestWeights(most, threshold);
    forEachWeight(largest::add);
    long from = largest.least();
    List<Hitter> found = hitters(from);
    while (found.size() < most && from > threshold) { // weights are upper bounds of estimates
      from = Math.max(threshold, from / 2);
      found = hitters(from);
    }
    return found;
  }

  /** The estimate of a key. */
  long value(Key key);

  /** All that is known of some keys. */
  Map<Key, KeyEstimate> known(Collection<Key> keys);

  /**
   * Keys whose estimates differ from an earlier epoch's by the threshold or more, in no order: one
   * of the two is that large itself. Of the changes only the values are told.
   */
  default List<Hitter> changers(EpochCounts before, long threshold) {
    return changers(before, hitters(threshold), before.hitters(threshold), threshold);
  }

  /**
   * Those of them that have changed most, in no order: as many as are wanted or more. Of the
   * heaviest keys some have changed; who has changed more than these is heavier than that.
   */
  default List<Hitter> changers(EpochCounts before, long threshold, int most) {
    // Most of the heaviest keys do not change much, so more of them than are wanted are looked at.
    int looked = Math.max(most, Math.min(32 * most, 10_000));
    long[] changes =
        changers(before, heaviest(threshold, looked), before.heaviest(threshold, looked), threshold)
            .stream()
            .mapToLong(changer -> Math.abs(changer.estimate().value()))
            .sorted()
            .toArray();
    return changers(before, changes.length < most ? threshold : changes[changes.length - most]);
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
