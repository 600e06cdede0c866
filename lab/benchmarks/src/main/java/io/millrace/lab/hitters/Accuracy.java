package io.millrace.lab.hitters;

import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import java.util.List;
import java.util.Map;

/** Accuracy of reported values over several epochs. Not thread-safe. */
final class Accuracy {
  private long expected;
  private long reported;
  private long right;
  private double errors;

  void add(Map<Key, Long> truth, List<Hitter> hitters) {
    expected += truth.size();
    reported += hitters.size();
    for (Hitter hitter : hitters) {
      Long weight = truth.get(hitter.key());
      if (weight != null) {
        right++;
        errors += Math.abs((double) hitter.estimate().value() - weight) / Math.abs(weight);
      }
    }
  }

  /** Returns the number of keys that should have been reported. */
  long expected() {
    return expected;
  }

  /** Returns the share of expected keys that were reported; 1 if none were expected. */
  double recall() {
    return expected == 0 ? 1 : (double) right / expected;
  }

  /** Returns the share of reported keys that were expected; 1 if none were reported. */
  double precision() {
    return reported == 0 ? 1 : (double) right / reported;
  }

  /** Returns the mean of |estimate − truth| / |truth| of correctly reported keys; 0 if none. */
  double relativeError() {
    return right == 0 ? 0 : errors / right;
  }
}
