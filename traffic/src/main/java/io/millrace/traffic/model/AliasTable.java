package io.millrace.traffic.model;

/**
 * Draws an index with a given weight in constant time: Walker's alias method in Vose's form (1991).
 *
 * <p>Each of the n columns holds its own index up to a threshold and one other index above it, so a
 * draw is one random column and one comparison; it touches 8 bytes of the table. Immutable.
 */
final class AliasTable {
  private final int[] threshold; // out of 2³¹; draws below it yield the column's own index
  private final int[] alias;

  AliasTable(double[] weights) {
    int n = weights.length;
    double sum = 0;
    for (double weight : weights) {
      sum += weight;
    }
    if (n == 0 || !(sum > 0)) {
      throw new IllegalArgumentException("cannot draw: " + n + " weights, sum " + sum);
    }
    threshold = new int[n];
    alias = new int[n];
    double[] scaled = new double[n];
    int[] work =
        new int[n]; // stack of too small columns from the left, of too large ones from the right
    int small = 0;
    int large = n;
    for (int i = 0; i < n; i++) {
      scaled[i] = weights[i] * n / sum;
      if (scaled[i] < 1) {
        work[small++] = i;
      } else {
        work[--large] = i;
      }
    }
    while (small > 0 && large < n) {
      int poor = work[--small];
      int rich = work[large];
      threshold[poor] = (int) (scaled[poor] * Integer.MAX_VALUE);
      alias[poor] = rich;
      scaled[rich] -= 1 - scaled[poor];
      if (scaled[rich] < 1) {
        large++;
        work[small++] = rich;
      }
    }
    while (large < n) {
      full(work[large++]);
    }
    while (small > 0) {
      full(work[--small]); // only rounding errors leave columns here
    }
  }

  private void full(int column) {
    threshold[column] = Integer.MAX_VALUE;
    alias[column] = column;
  }

  /** Zipf's weights: the index i (from 0) has weight 1 / (i + 1)^exponent. */
  static AliasTable zipf(int n, double exponent) {
    double[] weights = new double[n];
    for (int i = 0; i < n; i++) {
      weights[i] = StrictMath.pow(i + 1, -exponent);
    }
    return new AliasTable(weights);
  }

  int draw(SplitMix random) {
    long bits = random.next();
    int column = (int) (((bits >>> 32) * threshold.length) >>> 32);
    return ((int) bits & Integer.MAX_VALUE) <= threshold[column] ? column : alias[column];
  }
}
