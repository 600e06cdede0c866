package io.millrace.lab.trends;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrendsBenchmarkTest {
  private static List<Figure> run(Path dir) throws Exception {
    List<Figure> figures = new ArrayList<>();
    Options.of(new TrendsBenchmark(), "--rows", "1000000").run(BenchContext.of(dir, figures::add));
    return figures;
  }

  /** The benchmark checks that all rows are counted and that all ways find the same trends. */
  @Test
  void findsMostPlantedHittersByEachAlgorithm(@TempDir Path dir) throws Exception {
    List<Figure> figures = run(dir);
    assertThat(figures)
        .extracting(
            figure ->
                figure.metric()
                    + " "
                    + figure.params().get("way")
                    + " "
                    + figure.params().get("threads"))
        .containsExactly(
            "rate engineless 1",
            "recall engineless 1",
            "precision engineless 1",
            "delay_ms engineless 1",
            "rate engineless 2",
            "recall engineless 2",
            "precision engineless 2",
            "delay_ms engineless 2",
            "rate stateful 2",
            "recall stateful 2",
            "precision stateful 2",
            "delay_ms stateful 2",
            "rate stateless 2",
            "recall stateless 2",
            "precision stateless 2",
            "delay_ms stateless 2");
    assertThat(figures.get(1).value()).isGreaterThan(0.8);
    assertThat(figures.get(2).value()).isGreaterThan(0.6);
    for (int way = 1; way < 4; way++) {
      assertThat(figures.get(1).value()).isEqualTo(figures.get(4 * way + 1).value());
    }
  }
}
