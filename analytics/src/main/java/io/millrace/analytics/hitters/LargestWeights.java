package io.millrace.analytics.hitters;

import java.util.PriorityQueue;

/** Finds the k-th largest of many weights. Not thread-safe. */
final class LargestWeights {
  private final int max;
  private final PriorityQueue<Long> largest = new PriorityQueue<>();
  private long min;

  LargestWeights(int max, long from) {
    this.max = max;
    min = from;
  }

  void add(long weight) {
    if (weight < min || (weight == min && largest.size() == max)) {
      return;
    }
    if (largest.size() == max) {
      largest.poll();
    }
    largest.add(weight);
    if (largest.size() == max) {
      min = largest.peek();
    }
  }

  /** The k-th largest weight; {@code from} if there are fewer. */
  long min() {
    return min;
  }
}
