package io.millrace.lab.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cluster.trino.TrinoDistribution;
import io.millrace.cluster.trino.TrinoJava;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A minimal run with real processes; the benchmark itself checks that no row is missing. */
class ScaleBenchmarkIT {
  @TempDir Path directory;

  private final List<Figure> figures = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();

  @BeforeEach
  void processesCanBeLimited() {
    try {
      assertThat(Quotas.check()).startsWith("cgroup version ");
    } catch (IOException e) {
      assumeTrue(false, e.getMessage());
    }
  }

  private void run(String... options) throws Exception {
    Options.of(new ScaleBenchmark(), options)
        .run(BenchContext.of(directory, figures::add).withLines(lines::add));
    assertThat(figures).allSatisfy(figure -> assertThat(figure.value()).isNotNegative());
  }

  private double value(String metric) {
    return figures.stream()
        .filter(figure -> figure.metric().equals(metric))
        .findFirst()
        .orElseThrow()
        .value();
  }

  @Test
  void rowsOfALimitedTaskManagerAreCountedByProcess() throws Exception {
    run("--part", "tasks", "--workers", "1", "--rows", "20k", "--quota", "1");
    assertThat(value("rate")).isPositive();
    assertThat(value("efficiency")).isEqualTo(1);
    assertThat(figures)
        .filteredOn(figure -> figure.metric().equals("cpu_us_per_row"))
        .extracting(figure -> figure.params().get("process"))
        .containsExactly("taskmanagers", "store", "kafka", "jobmanager");
    assertThat(value("value_bytes_per_row")).isBetween(50.0, 1_000.0);
    assertThat(lines.get(0)).contains("1.0 of a core", "Not limited: Kafka, store");
    assertThat(lines).anyMatch(line -> line.startsWith("TaskManagers "));
  }

  @Test
  @EnabledIfSystemProperty(named = "millrace.long", matches = "true")
  void aLimitedTrinoWorkerReturnsTheResultsOfDuckDb() throws Exception {
    assumeTrue(
        Files.isDirectory(TrinoDistribution.cache()),
        "Trino is not in " + TrinoDistribution.cache());
    try {
      assertThat(TrinoJava.find(null)).isExecutable();
    } catch (IOException e) {
      assumeTrue(false, e.getMessage());
    }
    run("--part", "trino", "--workers", "1", "--rows", "200k", "--quota", "1");
    assertThat(value("latency_ms")).isPositive();
    assertThat(value("duckdb_cpu_s")).isPositive();
    assertThat(figures)
        .filteredOn(figure -> figure.metric().equals("cpu_ratio"))
        .extracting(figure -> figure.params().get("query"))
        .containsExactly("as_pairs", "one_address");
  }
}
