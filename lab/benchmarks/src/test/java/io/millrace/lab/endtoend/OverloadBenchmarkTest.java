package io.millrace.lab.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OverloadBenchmarkTest {
  @TempDir Path directory;

  @Test
  void sentRowsAreStoredOrCountedAsDropped() throws Exception {
    List<Figure> figures = new ArrayList<>();
    Options.of(new OverloadBenchmark(), "--seconds", "2")
        .run(BenchContext.of(directory, figures::add));
    Figure sums =
        figures.stream().filter(f -> f.metric().equals("unaccounted")).findFirst().orElseThrow();
    assertThat(sums.value()).isZero();
    assertThat((long) sums.params().get("stored")).isPositive();
  }
}
