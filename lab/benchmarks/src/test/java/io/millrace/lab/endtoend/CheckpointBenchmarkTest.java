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

class CheckpointBenchmarkTest {
  @TempDir Path directory;

  /** The benchmark throws if a key or a count is not restored. */
  @Test
  void restoresEveryKeyFromTheLastCheckpoint() throws Exception {
    List<Figure> figures = new ArrayList<>();
    Options.of(new CheckpointBenchmark(), "--rows", "10000", "--seconds", "1")
        .run(BenchContext.of(directory, figures::add));
    assertThat(figures).extracting(Figure::metric).contains("rate", "ratio", "pause_ms");
    assertThat(figures)
        .filteredOn(figure -> figure.metric().equals("rate"))
        .allMatch(figure -> figure.value() > 0);
  }
}
