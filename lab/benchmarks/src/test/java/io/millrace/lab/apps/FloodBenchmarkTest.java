package io.millrace.lab.apps;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FloodBenchmarkTest {
  @TempDir Path dir;

  @Test
  void findsApplicationsDuringAFloodThatEvictsFlows() throws Exception {
    List<Figure> figures = new ArrayList<>();

    Options.of(new FloodBenchmark(), "--rows", "60000")
        .run(BenchContext.of(dir, figures::add)); // throws if they are not

    assertThat(figures).singleElement().matches(figure -> figure.metric().equals("ratio"));
    assertThat((Long) figures.get(0).params().get("evicted_flows")).isGreaterThan(10_000);
  }
}
