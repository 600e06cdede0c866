package io.millrace.lab.hitters;

import java.util.SplittableRandom;

/**
 * Ranks by Zipf's law with exponent 1: rank r of n with a probability in proportion to 1 / r. By
 * the rejection inversion of Hörmann and Derflinger (1996), which needs no table.
 */
public final class Zipf {
  private final double lowest;
  private final double highest;

  /** Ranks 1 to {@code ranks}. */
  public Zipf(int ranks) {
    lowest = Math.log(1.5) - 1;
    highest = Math.log(ranks + 0.5);
  }

  /** Draws a rank, from 0 on. */
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
