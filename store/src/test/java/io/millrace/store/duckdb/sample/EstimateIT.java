package io.millrace.store.duckdb.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Estimates from many samples of samples. */
class EstimateIT {
  private static final int ROWS = 2_000;
  private static final int STRATA = 10;
  private static final int DRAWS = 2_000;

  /** Rows that a stratum keeps, and rows that remain of all of these. */
  private static final int KEPT = 60;

  private static final int STAY = 250;

  private final Random random = new Random(1);
  private final double[] weights = new double[ROWS];

  EstimateIT() {
    Arrays.setAll(weights, row -> 1 / Math.pow(1 - random.nextDouble(), 0.7));
  }

  /** Priority of the first row that is not among the largest; 0 if there is none. */
  private static double threshold(double[] priorities, int from, int to, int kept) {
    double[] sorted = Arrays.copyOfRange(priorities, from, to);
    Arrays.sort(sorted);
    return sorted.length <= kept ? 0 : sorted[sorted.length - 1 - kept];
  }

  /** Results for one filter in many samples. */
  private record Observation(double mean, double held) {}

  /** Draws many samples, and estimates one row in {@code oneIn}. */
  private Observation ask(int oneIn) {
    double truth = 0;
    for (int row = 0; row < ROWS; row += oneIn) {
      truth += weights[row];
    }
    double sum = 0;
    int held = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
      double[] priorities = new double[ROWS];
      Arrays.setAll(priorities, row -> weights[row] / (1 - random.nextDouble()));
      double[] thresholds = new double[STRATA];
      int length = ROWS / STRATA;
      double[] left = priorities.clone();
      for (int i = 0; i < STRATA; i++) {
        thresholds[i] = threshold(priorities, i * length, (i + 1) * length, KEPT);
        for (int row = i * length; row < (i + 1) * length; row++) {
          left[row] = priorities[row] > thresholds[i] ? priorities[row] : 0;
        }
      }
      double all = threshold(left, 0, ROWS, STAY);
      double estimate = 0;
      double uncertain = 0;
      double variance = 0;
      double largest = 0;
      for (int row = 0; row < ROWS; row++) {
        double limit = Math.max(all, thresholds[row / length]);
        largest = Math.max(largest, limit);
        if (row % oneIn == 0 && priorities[row] > limit) {
          double chance = Math.min(1, weights[row] / limit);
          double counts = weights[row] / chance;
          estimate += counts;
          uncertain += counts * (1 - chance);
          variance += counts * counts * (1 - chance);
        }
      }
      sum += estimate;
      double error = Estimate.halfWidth(uncertain, variance, largest);
      held += Math.abs(estimate - truth) <= error ? 1 : 0;
    }
    return new Observation(sum / DRAWS / truth, (double) held / DRAWS);
  }

  @Test
  void isUnbiasedHoweverFewRowsMatch() {
    for (int oneIn : new int[] {1, 2, 7, 50, 400}) {
      assertThat(ask(oneIn).mean).as("one in %d", oneIn).isBetween(0.95, 1.05);
    }
  }

  @Test
  void isWithinItsErrorIn95PercentOfCases() {
    for (int oneIn : new int[] {1, 2, 7, 50, 400, 1_000}) {
      assertThat(ask(oneIn).held).as("one in %d", oneIn).isGreaterThanOrEqualTo(0.95);
    }
  }

  @Test
  void isExactIfAllRowsAreKept() {
    assertThat(Estimate.halfWidth(0, 0, 0)).isZero();
  }

  @Test
  void boundsTheVolumeIfNothingWasSampled() {
    assertThat(Estimate.halfWidth(0, 0, 100)).isBetween(350.0, 380.0); // exactly -ln 0.025
  }

  @Test
  void isTwoStandardDeviationsForManyRows() {
    assertThat(Estimate.halfWidth(1e8, 1e10, 100) / 1e5).isBetween(1.95, 1.97);
  }
}
