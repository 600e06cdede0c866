package io.millrace.analytics.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatewayDaysTest {
  private static final long DAY = Instant.parse("2026-03-28T00:00:00Z").toEpochMilli();
  private static final long INTERVAL = GatewayRecord.ARRIVAL_MICROS;

  private static GatewayRecord record(
      String gateway, long second, long tx, long rx, GatewayForm form) {
    return new GatewayRecord(gateway, DAY + second * 1_000, tx, rx, form);
  }

  private static String row(String gateway, long day, String totals) {
    return (DAY + day * 86_400_000) * 1_000 + " " + gateway + " " + totals;
  }

  @Test
  void givesTheSameResultInAllWaysOfRunning() {
    AnalyzerTester.of(() -> new GatewayDays(GatewayDaysConfig.defaults()))
        .keyedBy(GatewayDays.KEYS)
        .feed(
            GatewayRecord.block(
                List.of(
                    record("counts", 60, 10, 100, GatewayForm.COUNTER),
                    record("runs", 60, 1_000, 4_294_967_290L, GatewayForm.CUMULATIVE),
                    record("counts", 180, 30, 300, GatewayForm.COUNTER),
                    record("says its rate in a long name", 60, 5, 5, GatewayForm.RATE))))
        .feed(
            GatewayRecord.block(
                List.of(
                    record("runs", 180, 3_000, 30, GatewayForm.CUMULATIVE),
                    record("counts", 120, 20, 200, GatewayForm.COUNTER),
                    record("runs", 120, 2_000, 10, GatewayForm.CUMULATIVE),
                    record("counts", 120, 20, 200, GatewayForm.COUNTER))))
        .feed(
            GatewayRecord.block(
                List.of(
                    record("runs", 240, 50, 20, GatewayForm.CUMULATIVE),
                    record("says its rate in a long name", 120, 3, 4, GatewayForm.RATE))))
        .expectIn(GatewayDays.VALUE_ROWS, INTERVAL + " 660", INTERVAL + " 2106", INTERVAL + " 420")
        .expect(
            row("counts", 0, "60 600 120.0 3 1 0 1"),
            row("runs", 0, "2050 56 180.0 4 1 0 0"),
            row("says its rate in a long name", 0, "180 240 60.0 2 0 0 0"));
  }

  /** Values before and now, and the bytes of the pair, with a wrap at 2³² = 4,294,967,296. */
  @ParameterizedTest
  @CsvSource({
    "5000, 50, 6000, 60, 1000, 10", // no value falls
    "5000, 50, 4000, 40, 4000, 40", // both fall
    "4294967290, 50, 10, 60, 16, 10", // sent wraps
    "50, 4294967290, 60, 10, 10, 16", // received wraps
    "4294967290, 50, 10, 50, 16, 0",
    "2147483648, 50, 0, 60, 2147483648, 10", // half the range is a wrap
    "2147483647, 50, 0, 60, 0, 60", // more than half: both values restart
    "50, 2147483647, 60, 0, 60, 0",
    "5000, 50, 4999, 1000000, 4999, 1000000",
    "50, 5000, 1000000, 4999, 1000000, 4999",
    "5000, 50, 100, 50, 100, 50",
    "4294967296, 50, 10, 60, 10, 60", // a value beyond the maximum cannot have wrapped
    "5000000000, 50, 10, 60, 10, 60",
  })
  void aFallingRunningValueHasWrappedOrTheGatewayRestarted(
      long txBefore, long rxBefore, long txNow, long rxNow, long tx, long rx) {
    AnalyzerTester.of(() -> new GatewayDays(GatewayDaysConfig.defaults()))
        .keyedBy(GatewayDays.KEYS)
        .feed(
            GatewayRecord.block(
                List.of(
                    record("g", 60, txBefore, rxBefore, GatewayForm.CUMULATIVE),
                    record("g", 120, txNow, rxNow, GatewayForm.CUMULATIVE))))
        .expectIn(GatewayDays.VALUE_ROWS, INTERVAL + " " + (tx + rx))
        .expect(row("g", 0, tx + " " + rx + " 60.0 2 0 0 0"));
  }

  @Test
  void dividesAnIntervalAtMidnight() {
    AnalyzerTester.of(() -> new GatewayDays(GatewayDaysConfig.defaults()))
        .keyedBy(GatewayDays.KEYS)
        .feed(
            GatewayRecord.block(
                List.of(
                    record("g", -10, 0, 0, GatewayForm.CUMULATIVE),
                    record("g", 20, 100, 1, GatewayForm.CUMULATIVE))))
        .expectIn(GatewayDays.VALUE_ROWS, INTERVAL + " 101")
        .expect(row("g", -1, "33 0 10.0 1 0 0 0"), row("g", 0, "67 1 20.0 1 0 0 0"));
  }

  @Test
  void flagsAnHourThatIsNotAsUsual() {
    GatewayDays analyzer = new GatewayDays(GatewayDaysConfig.defaults());
    analyzer.open(AnalyzerContext.alone());
    List<TableBlock> alerts = new ArrayList<>();
    for (int day = 0; day < 12; day++) {
      for (int minute = 0; minute < 24 * 60; minute += 10) {
        int hour = minute / 60;
        long usual = 1_000_000L * (1 + hour) * (95 + (day * 7 + hour) % 10) / 100;
        long bytes = day == 11 && hour == 3 ? usual * 20 : usual;
        long second = day * 86_400L + minute * 60L + 30;
        analyzer.process(
            GatewayRecord.block(
                List.of(record("g", second, bytes / 2, bytes / 2, GatewayForm.COUNTER))),
            new ByOutput(block -> {}, alerts::add));
      }
    }

    assertThat(alerts).hasSize(1);
    TableBlock alert = alerts.get(0);
    assertThat(alert.longs(0)[0]).isEqualTo((DAY + 11 * 86_400_000L + 3 * 3_600_000L) * 1_000);
    assertThat(alert.text(0, 1)).isEqualTo("g");
    assertThat(alert.text(0, 2)).isEqualTo("counter");
    assertThat((double) alert.longs(3)[0] / alert.longs(4)[0]).isBetween(15.0, 25.0);
    assertThat(alert.doubles(5)[0]).isGreaterThan(3.5);
  }

  /**
   * Without saturation, three of them would overflow to a small number, and their sum with another
   * one would be an error in SQL.
   */
  @Test
  void saturatedTotalsStaySaturated() {
    long max = 1_000_000_000_000_000_000L; // maximum of a record
    List<GatewayRecord> records = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      records.add(record("g", 60L * i, max, 1, GatewayForm.COUNTER));
    }
    records.add(record("g", 60 * 19 + 30, max, 1, GatewayForm.COUNTER)); // one is subtracted again
    AnalyzerTester.of(() -> new GatewayDays(GatewayDaysConfig.defaults()))
        .keyedBy(GatewayDays.KEYS)
        .feed(GatewayRecord.block(records))
        .expectIn(GatewayDays.VALUE_ROWS, INTERVAL + " " + Volumes.MAX)
        .expect(row("g", 0, Volumes.MAX + " 21 1140.0 21 1 0 0"));
  }

  /** The product of the rate and the interval has more than 63 bits. */
  @Test
  void amountsOfImpossibleRatesSaturate() {
    long max = 1_000_000_000_000_000_000L;
    AnalyzerTester.of(() -> new GatewayDays(GatewayDaysConfig.defaults()))
        .keyedBy(GatewayDays.KEYS)
        .feed(
            GatewayRecord.block(
                List.of(
                    record("g", 0, max, 1_000, GatewayForm.RATE),
                    record("g", 40_000, max, 1_000, GatewayForm.RATE))))
        .expectIn(GatewayDays.VALUE_ROWS, INTERVAL + " " + Volumes.MAX)
        .expect(row("g", 0, Volumes.MAX + " 40000000 40000.0 2 0 0 0"));
  }

  @Test
  void recordsDroppedFromTheFutureCountForTheirDay() {
    long tomorrow = (GatewayRecord.ARRIVAL_MICROS / 1_000 - DAY) / 1_000 + 2 * 86_400;
    long day = tomorrow / 86_400;
    AnalyzerTester.of(() -> new GatewayDays(GatewayDaysConfig.defaults()))
        .keyedBy(GatewayDays.KEYS)
        .feed(
            GatewayRecord.block(
                List.of(
                    record("g", tomorrow, 1, 1, GatewayForm.COUNTER),
                    record("g", tomorrow, 1, 1, GatewayForm.COUNTER))))
        .expect(row("g", day, "0 0 0.0 0 0 2 0"));
  }
}
