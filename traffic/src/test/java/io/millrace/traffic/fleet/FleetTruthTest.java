package io.millrace.traffic.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The description of docs/gateways.md of a running value that falls, with a wrap at 1,000. */
class FleetTruthTest {
  private static final long DAY = Instant.parse("2026-03-28T00:00:00Z").toEpochMilli();
  private static final byte[] ID = "g".getBytes(StandardCharsets.UTF_8);

  private final TableBlock block = GatewayRecords.block(2);

  private void add(int second, long tx, long rx) {
    long micros = (DAY + second * 1_000L) * 1_000;
    GatewayRecords.add(block, ID, micros, tx, rx, GatewayForm.CUMULATIVE);
  }

  @ParameterizedTest
  @CsvSource({
    "10, 20, 15, 40, 5, 20",
    "10, 20, 5, 6, 5, 6", // both fall
    "990, 20, 5, 40, 15, 20", // sent wraps
    "20, 990, 40, 5, 20, 15", // received wraps
    "500, 20, 0, 40, 500, 20", // half the range
    "499, 20, 0, 40, 0, 40", // more than half: both restart
    "20, 499, 40, 0, 40, 0",
    "1000, 20, 5, 40, 5, 40", // value beyond the wrap
  })
  void aValueThatFalls(long tx, long rx, long txNow, long rxNow, long moreTx, long moreRx) {
    add(60, tx, rx);
    add(120, txNow, rxNow);
    FleetTruth truth = new FleetTruth(ZoneOffset.UTC, 1_000, Duration.ofDays(1));
    truth.add(block);
    FleetTruth.Total total = truth.totals().get("2026-03-28 g");
    assertThat(total.tx()).isEqualTo(moreTx);
    assertThat(total.rx()).isEqualTo(moreRx);
  }
}
