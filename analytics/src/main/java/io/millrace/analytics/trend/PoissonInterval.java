package io.millrace.analytics.trend;

/**
 * The exact confidence interval of a Poisson count (Garwood, Fiducial Limits for the Poisson
 * Distribution, Biometrika 28, 1936): with the confidence c, α = 1 − c and quantiles χ²(p; degrees
 * of freedom),
 *
 * <pre>
 *   lower(m) = ½ χ²(α/2; 2m)        upper(m) = ½ χ²(1 − α/2; 2m + 2)
 * </pre>
 *
 * lower(0) is 0. Counts may be means and so fractional. Costs one or two microseconds.
 *
 * @param confidence above 0 and below 1
 */
record PoissonInterval(double confidence) {
  PoissonInterval {
    if (!(confidence > 0 && confidence < 1)) {
      throw new IllegalArgumentException(
          "confidence: " + confidence + ", expected above 0 and below 1");
    }
  }

  double lower(double mean) {
    return mean <= 0 ? 0 : ChiSquared.quantile((1 - confidence) / 2, 2 * mean) / 2;
  }

  double upper(double mean) {
    return ChiSquared.quantile((1 + confidence) / 2, 2 * mean + 2) / 2;
  }
}
