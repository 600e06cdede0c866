package io.millrace.store.duckdb.sample;

/**
 * How far an estimate from sampled rows may be off.
 *
 * <p>A sum of sampled rows is a sum of Poisson counts, each times what its row stands for, and has
 * an interval like that of a gamma distribution of the same mean and variance, to which one more
 * row of the largest kind is added (Fay and Feuer 1997). That holds for few rows as well, and for
 * none: where nothing was sampled there may still be something. The quantile is that of Wilson and
 * Hilferty (1931).
 */
public final class Estimate {
  private static final double Z = 1.959964;

  private Estimate() {}

  /**
   * Half the width of an interval around the estimate that holds what is estimated in 95 of 100
   * cases, or more.
   *
   * @param uncertain what the rows count for others, in all
   * @param variance estimated, of the estimate
   * @param largest the most that a row may count which was not sampled; 0 if all rows were
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
