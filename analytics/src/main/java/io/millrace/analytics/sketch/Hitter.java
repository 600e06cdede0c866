package io.millrace.analytics.sketch;

import java.util.Comparator;

/**
 * A heavy hitter or heavy changer.
 *
 * @param key the full key
 * @param estimate its weight; of a changer the change, negative for a decrease
 */
public record Hitter(Key key, Estimate estimate) {
  static final Comparator<Hitter> LARGEST_FIRST =
      Comparator.comparingLong((Hitter hitter) -> Math.abs(hitter.estimate.value())).reversed();
}
