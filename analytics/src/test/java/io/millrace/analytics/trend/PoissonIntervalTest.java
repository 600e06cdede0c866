package io.millrace.analytics.trend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Compares with values computed by SciPy; {@code poisson-scipy.py}, next to the golden file,
 * generates them.
 */
class PoissonIntervalTest {
  /** SciPy's own error in the tails. */
  private static final double RELATIVE = 2e-9;

  /** Tolerance of scores, since the half-width is a small difference of large bounds. */
  private static final double OF_SCORES = 1e-6;

  @Test
  void intervalsEqualThoseOfScipy() throws IOException {
    List<String> lines;
    try (BufferedReader file =
        new BufferedReader(
            new InputStreamReader(
                PoissonIntervalTest.class.getResourceAsStream("poisson-scipy.tsv"),
                StandardCharsets.UTF_8))) {
      lines = file.lines().filter(line -> !line.startsWith("#")).toList();
    }
    assertThat(lines).hasSizeGreaterThan(250);
    for (String line : lines) {
      String[] cells = line.split("\t", -1);
      double confidence = Double.parseDouble(cells[0]);
      double mean = Double.parseDouble(cells[1]);
      long count = Long.parseLong(cells[2]);
      PoissonInterval interval = new PoissonInterval(confidence);
      assertSame(line, interval.lower(mean), Double.parseDouble(cells[3]), RELATIVE);
      assertSame(line, interval.upper(mean), Double.parseDouble(cells[4]), RELATIVE);
      TrendSettings settings = TrendSettings.defaults().withConfidence(confidence);
      double score = new TrendModel(settings).score(count, mean);
      assertSame(line, score, Double.parseDouble(cells[5]), OF_SCORES);
    }
  }

  private static void assertSame(String line, double actual, double expected, double relative) {
    assertThat(actual)
        .as(line)
        .isCloseTo(expected, within(Math.max(1e-300, Math.abs(expected) * relative)));
  }

  @Test
  void rejectsConfidenceOf0And1() {
    assertThatThrownBy(() -> new PoissonInterval(1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new PoissonInterval(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
