package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchmarksTest {
  private static final Duration MOST = Duration.ofMinutes(3);

  /**
   * Benchmarks that may take longer: the published queries use tables of ten million rows, and
   * storing these takes most of the time.
   */
  private static final Map<String, Duration> LONGER =
      Map.of("flows.query", Duration.ofSeconds(200));

  private static final BenchContext BY_DEFAULT = BenchContext.of(Path.of("none"), figure -> {});

  @Test
  void defaultBenchmarksDeclareAtMostThreeMinutes() {
    List<Benchmark> byDefault =
        Benchmarks.all().stream().filter(each -> !each.isOnRequest()).toList();
    assertThat(byDefault)
        .allSatisfy(
            each ->
                assertThat(each.takes(BY_DEFAULT))
                    .as(each.name())
                    .isPositive()
                    .isLessThanOrEqualTo(LONGER.getOrDefault(each.name(), MOST)));
    assertThat(byDefault)
        .filteredOn(each -> each.takes(BY_DEFAULT).compareTo(MOST) > 0)
        .extracting(Benchmark::name)
        .containsExactlyInAnyOrderElementsOf(LONGER.keySet());
  }

  @Test
  void benchmarksOnRequestDeclareTheirDuration() {
    assertThat(Benchmarks.all())
        .filteredOn(Benchmark::isOnRequest)
        .isNotEmpty()
        .allSatisfy(each -> assertThat(each.takes(BY_DEFAULT)).as(each.name()).isPositive());
  }
}
