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

  /** The estimate of a key. */
  long value(Key key);

  /** All that is known of some keys. */
  Map<Key, Known> known(Collection<Key> keys);

  /**
   * Keys whose estimates differ from an earlier epoch's by the threshold or more, in no order: one
   * of the two is that large itself. Of the changes only the values are told.
   */
  default List<Hitter> changers(EpochCounts before, long threshold) {
    Set<Key> candidates = new LinkedHashSet<>();
    hitters(threshold).forEach(hitter -> candidates.add(hitter.key()));
    before.hitters(threshold).forEach(hitter -> candidates.add(hitter.key()));
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
