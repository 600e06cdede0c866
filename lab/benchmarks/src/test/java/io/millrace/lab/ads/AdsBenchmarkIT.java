package io.millrace.lab.ads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Runs the whole benchmark with Millrace; the benchmark itself checks the counts. */
@EnabledIfSystemProperty(named = "millrace.long", matches = "true")
class AdsBenchmarkIT {
  @TempDir private Path directory;

  private final List<Figure> figures = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();

  private List<Figure> of(String metric) {
    return figures.stream().filter(figure -> figure.metric().equals(metric)).toList();
  }

  @Test
  void reportsRatesDelaysAndTableRowOfOurEngine() throws Exception {
    assumeThat(RedisServer.require()).isEmpty();

    Options.of(new AdsBenchmark(), "--rows", "1M", "--seconds", "3", "--engine", "millrace")
        .run(BenchContext.of(directory, figures::add).withLines(lines::add));

    assertThat(of("rate")) // the bare consumer, one subtask, two, two with skewed campaigns
        .hasSize(4)
        .allSatisfy(rate -> assertThat(rate.params().get("complete")).isNotEqualTo(false));
    assertThat(of("watermark_p99_ms"))
        .extracting(figure -> figure.params().get("load_percent"))
        .containsExactly(10, 50, 90);
    assertThat(of("watermark_p99_ms").get(0).value()).isFinite().isPositive();
    assertThat(lines)
        .hasSize(4)
        .satisfies(
            table -> {
              assertThat(table.get(1)).startsWith("consumer ");
              assertThat(table.get(2)).startsWith("millrace ").doesNotContain("*");
            });
  }
}
