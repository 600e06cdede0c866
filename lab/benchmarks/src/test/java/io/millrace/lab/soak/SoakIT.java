package io.millrace.lab.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A short soak: {@code millrace up} is killed, flooded and queried. */
class SoakIT {
  private static final int SECONDS = Boolean.getBoolean("millrace.long") ? 120 : 20;
  private static final int CHAOS_SECONDS = 300;

  @TempDir Path directory;

  private Figure sums(int seconds, String... options) throws Exception {
    List<Figure> figures = new ArrayList<>();
    SoakBenchmark soak = Options.of(new SoakBenchmark(), options);
    Options.of(soak, "--seconds", Integer.toString(seconds), "--seed", "7")
        .run(BenchContext.of(directory, figures::add));
    return figures.stream().filter(f -> f.metric().equals("differences")).findFirst().orElseThrow();
  }

  @Test
  @EnabledIfSystemProperty(named = "millrace.long", matches = "true")
  void rowsAreStoredOnceDespiteHostDiskAndOperatorFaults() throws Exception {
    Figure sums = sums(CHAOS_SECONDS, "--chaos");
    assertThat(sums.value()).isZero();
    assertThat((long) sums.params().get("rows_stored")).isPositive();
  }

  @Test
  void everythingSentIsStoredOrCountedDespiteFailures() throws Exception {
    Figure sums = sums(SECONDS, "--rate", "1500");
    assertThat(sums.value()).isZero();
    assertThat((int) sums.params().get("kills")).isPositive();
    assertThat((long) sums.params().get("stored")).isPositive();
  }
}
