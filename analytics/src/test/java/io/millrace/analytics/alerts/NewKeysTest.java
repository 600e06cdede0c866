package io.millrace.analytics.alerts;

import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.TableBlock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NewKeysTest {
  private static final long MINUTE = 60_000_000;

  private static AnalyzerTester<TableBlock, TableBlock> tester() {
    return AnalyzerTester.of(
            () -> new NewKeys(3 * MINUTE, new AlertText(null)),
            alerts ->
                IntStream.range(0, alerts.rows())
                    .mapToObj(
                        row ->
                            alerts.longs(AlertRows.TIME)[row] / MINUTE
                                + " "
                                + alerts.text(row, AlertRows.KIND)
                                + " "
                                + alerts.text(row, AlertRows.KEY))
                    .toList())
        .keyedBy(AlertRows.KEYS);
  }

  /** Keys of a window of a minute, "KIND KEY" each. */
  private static TableBlock window(long minute, String... keys) {
    TableBlock block = new TableBlock(AlertRows.REPORTED, 0);
    for (String each : keys) {
      String[] parts = each.split(" ", -1);
      AlertRows.append(
          new AlertRows.Key(
              minute * MINUTE,
              (minute + 1) * MINUTE - 1,
              parts[0],
              "source",
              parts[1],
              "bytes",
              1_000,
              TableBlock.NULL,
              0.5),
          block);
    }
    return block;
  }

  @Test
  void alertsOnceForAKeyReportedByManyWindows() {
    tester()
        .feed(window(1, "hitter a", "hitter b"))
        .watermark(2 * MINUTE)
        .feed(window(2, "hitter a", "hitter c"))
        .watermark(3 * MINUTE)
        .feed(window(3, "hitter a", "hitter b"))
        .expect("1 hitter a", "1 hitter b", "2 hitter c");
  }

  @Test
  void alertsForTheSameKeyOfAnotherKind() {
    tester()
        .feed(window(1, "hitter a", "changer a"))
        .feed(window(2, "trend a", "changer a"))
        .expect("1 hitter a", "1 changer a", "2 trend a");
  }

  @Test
  void alertsAgainForAResolvedKey() {
    tester()
        .feed(window(1, "hitter gone", "hitter back"))
        .watermark(5 * MINUTE)
        .feed(window(5, "hitter back")) // silent for exactly three minutes
        .watermark(6 * MINUTE)
        .feed(window(6, "hitter gone")) // silent for four
        .watermark(30 * MINUTE)
        .feed(window(31, "hitter back"))
        .expect("1 hitter gone", "1 hitter back", "6 hitter gone", "31 hitter back");
  }

  @Test
  void anEarlierWindowReportsNothing() {
    tester()
        .feed(window(9, "hitter a"))
        .feed(window(2, "hitter a"))
        .feed(window(10, "hitter a"))
        .expect("9 hitter a");
  }
}
