package io.millrace.analytics.app;

import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class SubscriberCountsTest {
  private static final long MINUTE = AppRows.MINUTE;
  private static final String[] ALL = {"ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal"};

  /** Uses of an application in a minute. */
  private static TableBlock usage(long minute, String app, String... subscribers) {
    TableBlock usage = new TableBlock(AppRows.USAGE, subscribers.length);
    for (int row = 0; row < subscribers.length; row++) {
      usage.longs(AppRows.USAGE.indexOf("span_end"))[row] = minute * MINUTE + 1 + row;
      usage.texts(AppRows.USAGE.indexOf("app")).add(app);
      usage.texts(AppRows.USAGE.indexOf("subscriber")).add(subscribers[row]);
    }
    usage.rows(subscribers.length);
    return usage;
  }

  /** A line for each subscriber that is counted. */
  private static List<String> counted(TableBlock apps) {
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < apps.rows(); row++) {
      String line = apps.longs(0)[row] / MINUTE + " " + apps.texts(1).get(row);
      lines.addAll(Collections.nCopies((int) apps.longs(5)[row], line));
    }
    return lines;
  }

  private static AnalyzerTester<TableBlock, TableBlock> tester() {
    return AnalyzerTester.of(SubscriberCounts::new, SubscriberCountsTest::counted)
        .keyedBy(SubscriberCounts.BY_SUBSCRIBER);
  }

  @Test
  void countsEachSubscriberOnceAMinute() {
    tester()
        .feed(usage(3, "dns", "ada", "bob", "ada"))
        .feed(usage(3, "dns", "bob", "cyd"))
        .feed(usage(4, "dns", "ada"))
        .feed(usage(3, "web", "ada", ""))
        .expect("3 dns", "3 dns", "3 dns", "4 dns", "3 web");
  }

  /** One row is far ahead; lateness is the same for its subtask as for all others. */
  @Test
  void latenessDependsOnEventTime() {
    List<String> expected = new ArrayList<>(Collections.nCopies(ALL.length, "100 dns"));
    expected.add("500 dns");
    expected.addAll(Collections.nCopies(ALL.length, "101 dns"));
    tester()
        .feed(usage(500, "dns", "ada"))
        .feed(usage(100, "dns", ALL))
        .watermark(111 * MINUTE - 1)
        .feed(usage(100, "dns", ALL))
        .feed(usage(101, "dns", ALL))
        .watermark(111 * MINUTE)
        .feed(usage(100, "dns", ALL))
        .expectCounted(SubscriberCounts.LATE, ALL.length)
        .expect(expected.toArray(String[]::new));
  }
}
