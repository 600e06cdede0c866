package io.millrace.analytics.trend;

/**
 * Quantiles of the chi-squared distribution: twice the inverse of the regularised incomplete gamma
 * function.
 *
 * <p>The function is a series below the mean and a continued fraction above it (Press et al.,
 * Numerical Recipes, 3rd edition, 6.2). The common factor, which loses digits, is Loader's (Fast
 * and Accurate Computation of Binomial Probabilities, 2000). Halley's method inverts it, starting
 * from the approximation of Wilson and Hilferty (1931), which is exact enough by itself above 10⁸
 * degrees of freedom. Relative errors are below 10⁻¹⁰.
 */
final class ChiSquared {
  private static final double EPSILON = 1e-15;
  private static final double TINY = 1e-300;
  private static final int MAX_STEPS = 60;

  private static final double LARGE = 1e8;

  private ChiSquared() {}

  static double quantile(double share, double degrees) {
    double shape = degrees / 2;
    return 2 * (shape > LARGE ? wilsonHilferty(normal(share), shape) : inverse(share, shape));
  }

  private static double normal(double share) {
    double distance = Math.sqrt(quantile(Math.abs(2 * share - 1), 1));
    return share < 0.5 ? -distance : distance;
  }

  private static double wilsonHilferty(double normal, double shape) {
    double root = 1 - 1 / (9 * shape) + normal / (3 * Math.sqrt(shape));
    return shape * root * root * root;
  }

  private static double inverse(double share, double shape) {
    boolean upper = share > 0.5;
    double wanted = upper ? 1 - share : share;
    double x = start(share, shape);
    for (int step = 0; step < MAX_STEPS && x > 0; step++) {
      double density = Math.exp(logFactor(x, shape)) / x;
      double excess = upper ? wanted - tail(x, shape, true) : tail(x, shape, false) - wanted;
      double newton = excess / density;
      double halley = newton / (1 - 0.5 * Math.min(1, newton * ((shape - 1) / x - 1)));
      double next = x - halley;
      if (next <= 0) {
        next = x / 2;
      }
      if (Math.abs(next - x) <= EPSILON * x) {
        return next;
      }
      x = next;
    }
    return x;
  }

  private static double start(double share, double shape) {
    if (shape > 1) {
      return Math.max(1e-3, wilsonHilferty(roughNormal(share), shape));
    }
    double atOne = 1 - shape * (0.253 + shape * 0.12);
    return share < atOne
        ? Math.pow(share / atOne, 1 / shape)
        : 1 - Math.log((1 - share) / (1 - atOne));
  }

  /** Hastings' approximation, to four digits. */
  private static double roughNormal(double share) {
    double root = Math.sqrt(-2 * Math.log(Math.min(share, 1 - share)));
    double z = root - (2.30753 + root * 0.27061) / (1 + root * (0.99229 + root * 0.04481));
    return share < 0.5 ? -z : z;
  }

  private static double tail(double x, double shape, boolean upper) {
    boolean bySeries = x < shape + 1;
    double factor = Math.exp(logFactor(x, shape));
    double share = factor * (bySeries ? series(x, shape) : fraction(x, shape));
    return bySeries == upper ? 1 - share : share;
  }

  private static double series(double x, double shape) {
    double term = 1 / shape;
    double sum = term;
    for (double next = shape + 1; term > sum * EPSILON; next++) {
      term *= x / next;
      sum += term;
    }
    return sum;
  }

  /** Upper tail without the factor: Lentz's evaluation of the continued fraction. */
  private static double fraction(double x, double shape) {
    double b = x + 1 - shape;
    double c = 1 / TINY;
    double d = 1 / b;
    double product = d;
    double change;
    double i = 1;
    do {
      double a = -i * (i - shape);
      b += 2;
      d = 1 / notZero(a * d + b);
      c = notZero(b + a / c);
      change = d * c;
      product *= change;
      i++;
    } while (Math.abs(change - 1) > EPSILON);
    return product;
  }

  private static double notZero(double value) {
    return Math.abs(value) < TINY ? TINY : value;
  }

  private static double logFactor(double x, double shape) {
    // Γ(shape + 1) = √(2π·shape) · (shape/e)^shape · e^stirling
    return shape * logLessItself(x / shape)
        + 0.5 * Math.log(shape / (2 * Math.PI))
        - stirlingError(shape);
  }

  /** ln r − (r − 1), accurate near 1. */
  private static double logLessItself(double ratio) {
    double u = ratio - 1;
    if (Math.abs(u) > 0.1) {
      return Math.log(ratio) - u;
    }
    double power = -u * u;
    double sum = power / 2;
    for (int i = 3; Math.abs(power) > Math.abs(sum) * 1e-18 && i < 40; i++) {
      power *= -u;
      sum += power / i;
    }
    return sum;
  }

  /** ln Γ(shape + 1) less its approximation by Stirling: the series from 16 on. */
  private static double stirlingError(double shape) {
    if (shape < 16) {
      // ln Γ(s + 1) = ln Γ(s + 2) − ln(s + 1), and Stirling's difference of the two
      double above = shape + 1;
      return stirlingError(above) + (shape + 0.5) * Math.log1p(1 / shape) - 1;
    }
    double square = 1 / (shape * shape);
    return (1.0 / 12
            - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680 - square / 1188))))
        / shape;
  }
}
