package io.millrace.lab.micro;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonBenchmarkTest {
  /** It compares what both have read itself, and throws where that differs. */
  @Test
  void bothParsersReadTheSame() {
    List<Figure> figures = new ArrayList<>();
    new JsonBenchmark().run(BenchContext.of(Path.of("."), 50_000, 0, figures::add));
    assertThat(figures).extracting(Figure::metric).containsExactly("rate", "rate", "ratio");
    assertThat(figures).allSatisfy(figure -> assertThat(figure.value()).isPositive());
  }
}
