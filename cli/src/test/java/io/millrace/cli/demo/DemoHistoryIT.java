package io.millrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.console.RuntimeOptions;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.FlowQuery;
import io.millrace.store.RetentionConfig;
import io.millrace.store.SeriesResult.Period;
import io.millrace.testing.Await;
import io.millrace.traffic.DemoData;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoHistoryIT {
  private static final int RATE = 2_000;

  @TempDir Path dir;

  @Test
  void historyIsImportedAndNotInTheLedger() throws Exception {
    MillraceConfig defaults = MillraceConfig.defaults();
    MillraceConfig config =
        RuntimeOptions.withBundledDatasets(
            defaults
                .withData(dir.resolve("data"))
                .withSection(defaults.http().withPort(0))
                .withSection(defaults.flight().withoutListening())
                .withSection(
                    defaults
                        .store()
                        .withRetention(new RetentionConfig(DemoHistory.LENGTH.plusDays(1), 0)))
                .withSection(
                    defaults
                        .collector()
                        .withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))),
            dir.resolve("datasets"));
    DemoHistory history = new DemoHistory(1, RATE, DemoData.pool());
    try (Millrace millrace = new Millrace(config)) {
      millrace.start();
      history.write(dir, millrace.imports());
      Await.until("all rows are there", () -> millrace.table().rows() == history.samples());
      FlowQuery week =
          FlowQuery.series(FlowQuery.Measure.BITS, "src_as")
              .withLast(Optional.of(Duration.ofDays(7)))
              .withStep(Optional.of(Duration.ofDays(1)))
              .withPrevious(true);
      var answer = millrace.store().series(week);
      double now = mean(answer.period());
      double before = mean(answer.previous().orElseThrow());
      assertThat(now).isGreaterThan(1e10); // 2,000 samples a second, each of 16,384 packets
      assertThat(before).isBetween(now / 2, now * 2);
      assertThat(millrace.ledger().exporters()).isEmpty();
      assertThat(history.text()).contains("of the preceding 15 days, generated in");
    }
  }

  private static double mean(Period period) {
    return Arrays.stream(period.total().rates()).filter(Double::isFinite).average().orElseThrow();
  }
}
