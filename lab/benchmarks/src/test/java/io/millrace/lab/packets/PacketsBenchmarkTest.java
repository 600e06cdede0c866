package io.millrace.lab.packets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import io.millrace.lab.harness.WrongResultException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PacketsBenchmarkTest {
  @TempDir Path dir;

  @Test
  void countsEveryPacketOfTheTraceInBothWays() throws Exception {
    Map<String, Double> figures = new HashMap<>();
    BenchContext context =
        BenchContext.of(dir, (Figure figure) -> figures.put(figure.metric(), figure.value()));

    Options.of(new PacketsBenchmark(), "--rows", "100k", "--seconds", "1")
        .run(context); // throws if a count is wrong

    assertThat(figures.get("rate")).isPositive();
    assertThat(figures.get("ratio")).isPositive();
    assertThat(figures.get("gbit_per_second"))
        .isCloseTo(figures.get("rate") * 409 * 8 / 1e9, within(figures.get("rate") / 1e7));
  }

  @Test
  void countsTunnelledPacketsWithOneSubtaskAndTwo() throws Exception {
    Map<String, Double> figures = new HashMap<>();
    BenchContext context =
        BenchContext.of(dir, (Figure figure) -> figures.put(figure.metric(), figure.value()));

    Options.of(new TunnelsBenchmark(), "--rows", "50k", "--seconds", "1")
        .run(context); // throws if a count is wrong

    assertThat(figures.get("ratio")).isPositive();
  }

  @Test
  void theTraceHasItsDeclaredProperties() {
    HeaderTrace trace = new HeaderTrace(10_000_000, 1);

    assertThat((double) trace.headerBytes()).isCloseTo(1e7, within(1e6));
    assertThat((double) trace.truth().bytes() / trace.packets()).isCloseTo(409, within(5.0));
    assertThat(trace.truth().packets()).isEqualTo(trace.packets());
  }

  @Test
  void wrongCountsAreAnError() {
    Totals counted = new Totals();
    counted.add(HeaderTrace.TCP, 1, 100);
    Totals expected = new Totals();
    expected.add(HeaderTrace.UDP, 1, 100);

    assertThatThrownBy(() -> counted.check("it", expected))
        .isInstanceOf(WrongResultException.class)
        .hasMessageContaining("it, packets of kind 0: expected 0, got 1");
  }
}
