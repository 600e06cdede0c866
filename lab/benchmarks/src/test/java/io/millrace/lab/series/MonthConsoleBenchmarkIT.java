package io.millrace.lab.series;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MonthConsoleBenchmarkIT {
  @TempDir private Path directory;

  /** The last hour may have no flows of an object, in one direction or in both. */
  @Test
  void measuresQueriesOfFewRows() throws Exception {
    Path own = Files.createDirectory(directory.resolve("run"));
    List<Figure> figures = new ArrayList<>();

    Options.of(new MonthConsoleBenchmark(), "--rows", "20000", "--seconds", "1")
        .run(BenchContext.of(own, figures::add));

    assertThat(figures)
        .filteredOn(figure -> figure.metric().equals("p95_ms"))
        .extracting(figure -> figure.params().get("page"))
        .contains("all", "now", "as", "address", "interface");
  }
}
