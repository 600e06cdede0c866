package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.bench.harness.BenchContext;
import io.millrace.bench.harness.Figure;
import io.millrace.bench.soak.SoakBenchmark;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The soak in short: the process of {@code millrace up} is killed, flooded and asked. */
class SoakIT {
  private static final int SECONDS = Boolean.getBoolean("millrace.long") ? 120 : 20;
  private static final double SAMPLES_PER_SECOND = 1_500;

  @TempDir Path directory;

  @Test
  void everythingSentIsStoredOrCountedWhateverHappens() throws Exception {
    List<Figure> figures = new ArrayList<>();
    new SoakBenchmark()
        .run(
            new BenchContext(
                directory,
                0,
                0,
                SECONDS,
                SAMPLES_PER_SECOND,
                List.of(),
                List.of(),
                List.of(),
                7,
                false,
                List.of(),
                figures::add,
                line -> {},
                line -> {}));
    Figure sums =
        figures.stream().filter(f -> f.metric().equals("differences")).findFirst().orElseThrow();
    assertThat(sums.value()).isZero();
    assertThat((int) sums.params().get("kills")).isPositive();
    assertThat((long) sums.params().get("stored")).isPositive();
  }
}
