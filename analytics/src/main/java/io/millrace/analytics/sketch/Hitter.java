package io.millrace.analytics.sketch;

import java.util.Comparator;

/**
 * A key that is heavy, or whose weight has changed much.
 *
 * @param key the key, whole
 * @param estimate its weight; of a changer by how much it has changed, negative where it fell
 */
public record Hitter(Key key, Estimate estimate) {
  /** The largest first, whichever way they changed. */
  static final Comparator<Hitter> LARGEST_FIRST =
      Comparator.comparingLong((Hitter hitter) -> Math.abs(hitter.estimate.value())).reversed();
}
