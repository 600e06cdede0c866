package io.millrace.analytics.hitters;

import java.util.PriorityQueue;

/** Finds the k-th largest of many weights. Not thread-safe. */
final class LargestWeights {
  private final int most;
  private final PriorityQueue<Long> largest = new PriorityQueue<>();
  private long least;

  LargestWeights(int most, long from) {
    this.most = most;
    least = from;
  }

  void add(long weight) {
    if (weight < least || (weight == least && largest.size() == most)) {
      return;
    }
    if (largest.size() == most) {
      largest.poll();
    }
    largest.add(weight);
    if (largest.size() == most) {
      least = largest.peek();
    }
  }

  /** The k-th largest weight; {@code from} where there are fewer. */
  long least() {
    return least;
  }
}
