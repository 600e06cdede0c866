package io.millrace.lab.hitters;

import java.util.SplittableRandom;

/**
 * Random ranks by Zipf's law with exponent 1: rank r has a probability proportional to 1 / r. Uses
 * the rejection inversion of Hörmann and Derflinger (1996), which needs no table.
 */
public final class Zipf {
  private final double lowest;
  private final double highest;

  /** Creates a distribution over a number of ranks. */
  public Zipf(int ranks) {
    lowest = Math.log(1.5) - 1;
    highest = Math.log(ranks + 0.5);
  }

  /** Draws a rank, 0 for the most frequent. */
  public int next(SplittableRandom random) {
    while (true) {
      double area = lowest + random.nextDouble() * (highest - lowest);
      long rank = Math.max(1, Math.round(Math.exp(area)));
      if (area >= Math.log(rank + 0.5) - 1.0 / rank) {
        return (int) rank - 1;
      }
    }
  }
}
