package io.millrace.lab.voice;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VoiceBenchmarkTest {
  @TempDir Path dir;

  /** The benchmark itself compares the commands with the expected ones. */
  @Test
  void givesRateAndDelay() throws Exception {
    List<Figure> figures = new ArrayList<>();
    Options.of(new VoiceBenchmark(), "--rows", "400000", "--seconds", "3")
        .run(BenchContext.of(dir, figures::add));
    assertThat(figures)
        .extracting(Figure::metric)
        .containsExactly("rate", "p50_ms", "p99_ms", "rate", "p50_ms", "p99_ms");
    assertThat(figures)
        .extracting(each -> each.params().get("source"))
        .containsExactly("memory", "memory", "memory", "log", "log", "log");
    assertThat(figures.stream().filter(each -> each.metric().equals("rate")))
        .allSatisfy(each -> assertThat((int) each.params().get("commands")).isPositive());
    assertThat(figures.get(1).value()).isBetween(0.0, figures.get(2).value());
    assertThat(figures)
        .filteredOn(each -> each.unit().equals("ms"))
        .allSatisfy(each -> assertThat(each.params()).containsEntry("window_ms", 1_000L));
  }
}
