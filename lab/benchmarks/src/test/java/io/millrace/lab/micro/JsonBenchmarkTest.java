package io.millrace.lab.micro;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonBenchmarkTest {
  /** The benchmark throws if the two results differ. */
  @Test
  void bothParsersReturnTheSame() {
    List<Figure> figures = new ArrayList<>();
    Options.of(new JsonBenchmark(), "--rows", "50000")
        .run(BenchContext.of(Path.of("."), figures::add));
    assertThat(figures).extracting(Figure::metric).containsExactly("rate", "rate", "ratio");
    assertThat(figures).allSatisfy(figure -> assertThat(figure.value()).isPositive());
  }
}
