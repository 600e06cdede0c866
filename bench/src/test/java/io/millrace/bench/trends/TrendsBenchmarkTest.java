package io.millrace.bench.trends;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.bench.harness.BenchContext;
import io.millrace.bench.harness.Figure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrendsBenchmarkTest {
  private static List<Figure> run() throws Exception {
    List<Figure> figures = new ArrayList<>();
    new TrendsBenchmark().run(BenchContext.of(Path.of("."), 1_000_000, 0, figures::add));
    return figures;
  }

  /** It checks itself that all rows are counted and that threads change nothing. */
  @Test
  void findsMostOfWhatIsPlantedWithAnyNumberOfThreads() throws Exception {
    List<Figure> figures = run();
    assertThat(figures)
        .extracting(figure -> figure.metric() + " " + figure.params().get("threads"))
        .containsExactly(
            "rate 1",
            "recall 1",
            "precision 1",
            "delay_ms 1",
            "rate 2",
            "recall 2",
            "precision 2",
            "delay_ms 2");
    assertThat(figures.get(1).value()).isGreaterThan(0.8);
    assertThat(figures.get(2).value()).isGreaterThan(0.6);
    assertThat(figures.get(1).value()).isEqualTo(figures.get(5).value());
  }
}
