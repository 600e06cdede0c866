package io.millrace.lab.topn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

class BillionBenchmarkIT {
  @TempDir Path dir;

  @Test
  void queriesTheRowsOfTheFirstMinutes() throws Exception {
    List<Figure> figures = new ArrayList<>();
    Options.of(new BillionBenchmark(), "--rows", "700k", "--hours", "168")
        .run(BenchContext.of(dir, figures::add));
    assertThat(figures)
        .filteredOn(each -> each.metric().equals("latency_ms"))
        .extracting(each -> each.params().get("query"))
        .containsExactly(
            "top_as",
            "top_as.minutes",
            "top_as.ragged",
            "top_as.eight_windows",
            "one_address 80.0.0.0",
            "one_address 80.0.197.17",
            "one_address 198.51.100.7");
    assertThat(figures).allSatisfy(each -> assertThat(each.params()).containsEntry("hours", 168L));
  }

  @ParameterizedTest
  @CsvSource({"--rows, 0", "--rows, -1", "--hours, 0", "--hours, 169", "--hours, 1.5"})
  void rejectsNumbersOutOfRange(String option, String value) {
    assertThatThrownBy(() -> Options.of(new BillionBenchmark(), option, value))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining(value + ": ");
  }
}
