package io.millrace.store.duckdb.sample;

/**
 * Error bound of an estimate from sampled rows.
 *
 * <p>A sum of sampled rows is a sum of Poisson counts, each multiplied by the weight of its row.
 * Its interval is that of a gamma distribution with the same mean and variance, to which one more
 * row of the largest kind is added (Fay and Feuer 1997). This also holds for few rows and for none:
 * rows may exist although none was sampled. The quantile is that of Wilson and Hilferty (1931).
 */
public final class Estimate {
  private static final double Z = 1.959964;

  private Estimate() {}

  /**
   * Half the width of an interval around the estimate that contains the exact value with a
   * probability of at least 95%.
   *
   * @param uncertain part of the estimate by which sampled rows represent other rows
   * @param variance estimated variance of the estimate
   * @param largest maximum value of a row that was not sampled; 0 if all rows were
   */
  public static double halfWidth(double uncertain, double variance, double largest) {
    if (largest <= 0) {
      return 0;
    }
    double mean = uncertain + largest;
    double spread = variance + largest * largest;
    double shape = mean * mean / spread;
    double root = 1 - 1 / (9 * shape) + Z / (3 * Math.sqrt(shape));
    return Math.max(0, root * root * root * mean - uncertain);
  }
}
