package io.millrace.analytics.hitters;

import java.util.PriorityQueue;

/** The largest of many weights: which one of them so many reach. Not thread-safe. */
final class LargestWeights {
  private final int most;
  private final PriorityQueue<Long> largest = new PriorityQueue<>();
  private long least;

  /**
   * None so far.
   *
   * @param from smaller ones do not count, 1 or more
   */
  LargestWeights(int most, long from) {
    this.most = most;
    least = from;
  }

  /** Adds one. */
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

  /** The least one of as many as are wanted; where there are fewer, from where on they count. */
  long least() {
    return least;
  }
}
