package io.millrace.lab.hitters;

import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import java.util.List;
import java.util.Map;

/** Reported and true values, over some epochs. Not thread-safe. */
final class Accuracy {
  private long expected;
  private long reported;
  private long right;
  private double errors;

  /** Adds an epoch. */
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

  /** Keys that should have been reported. */
  long expected() {
    return expected;
  }

  /** Share of those that were; 1 where there were none. */
  double recall() {
    return expected == 0 ? 1 : (double) right / expected;
  }

  /** Share of the reported ones that should have been; 1 where there were none. */
  double precision() {
    return reported == 0 ? 1 : (double) right / reported;
  }

  /** Mean of |estimate − truth| / truth of the rightly reported ones; 0 where there were none. */
  double relativeError() {
    return right == 0 ? 0 : errors / right;
  }
}
