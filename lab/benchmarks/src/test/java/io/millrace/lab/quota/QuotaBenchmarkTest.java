package io.millrace.lab.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuotaBenchmarkTest {
  private static final boolean LONG = Boolean.getBoolean("millrace.long");

  @TempDir Path dir;

  /** The benchmark itself compares the signals with the expected ones. */
  @Test
  void givesRateAndState() throws Exception {
    List<Figure> figures = new ArrayList<>();
    Options.of(
            new QuotaBenchmark(),
            "--rows",
            Integer.toString(LONG ? 300_000 : 100_000),
            "--seconds",
            Integer.toString(LONG ? 2 : 1))
        .run(BenchContext.of(dir, figures::add));
    assertThat(figures)
        .extracting(Figure::metric)
        .containsExactly(
            "rate", "p50_ms", "p99_ms", "state_bytes", "state_bytes", "rate", "p50_ms", "p99_ms");
    assertThat(figures.get(0).params()).containsEntry("source", "memory");
    assertThat(figures.get(0).value()).isPositive();
  }
}
