package io.millrace.lab.micro;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WindowsBenchmarkTest {
  /** The benchmark throws if the sums of the windows are wrong. */
  @Test
  void givesAFigureForEachRatio() throws Exception {
    List<Figure> figures = new ArrayList<>();
    Options.of(new WindowsBenchmark(), "--rows", "50000")
        .run(BenchContext.of(Path.of("."), figures::add));
    assertThat(figures)
        .extracting(figure -> figure.params().get("slides_per_window"))
        .containsExactly(1, 10, 60, 600);
  }
}
