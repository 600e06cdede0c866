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

/** What was counted of a kind in an epoch, by all subtasks together. Not thread-safe. */
interface EpochCounts {
  /**
   * What is known of a key.
   *
   * @param variance at most, of its weight by sampling; in units of the measure
   * @param algorithm that has counted it, by its label
   */
  record Known(Estimate estimate, long variance, String algorithm) {}

  /** Weight of all keys. */
  long total();

  /** Keys whose estimates reach a threshold, in no order. */
  List<Hitter> hitters(long threshold);

  /**
   * The heaviest of these keys, in no order: as many as are wanted or more, if there are so many. A
   * few looks at all keys for weights that are great enough take far less than to sort them all.
   */
  default List<Hitter> heaviest(long threshold, int most) {
    long from = Math.max(threshold, total() / most);
    List<Hitter> found = hitters(from);
    while (found.size() < most && from > threshold) {
      from = Math.max(threshold, from / 8);
      found = hitters(from);
    }
    return found;
  }

  /** The estimate of a key. */
  long value(Key key);

  /** All that is known of some keys. */
  Map<Key, Known> known(Collection<Key> keys);

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
    long[] changes =
        changers(before, heaviest(threshold, most), before.heaviest(threshold, most), threshold)
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
