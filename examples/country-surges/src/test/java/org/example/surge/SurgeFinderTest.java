package org.example.surge;

import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import org.junit.jupiter.api.Test;

class SurgeFinderTest {
  private static final long MINUTE = 60_000_000;

  private static TableBlock count(long minute, String country, long packets) {
    TableBlock counts =
        new TableBlock(
            TableSchema.builder().time("minute").text("country").number("packets").build(), 1);
    counts.longs(0)[0] = minute * MINUTE;
    counts.texts(1).add(country);
    counts.longs(2)[0] = packets;
    counts.rows(1);
    return counts;
  }

  @Test
  void aMinuteWithManyTimesTheUsualPacketsIsASurge() {
    AnalyzerTester.of(() -> new SurgeFinder(MINUTE, 5))
        .keyedBy(SurgeFinder.BY_COUNTRY)
        .feed(count(0, "XA", 90))
        .feed(count(0, "XB", 10))
        .watermark(MINUTE)
        .feed(count(1, "XA", 90))
        .feed(count(1, "XB", 50))
        .watermark(2 * MINUTE)
        .feed(count(1, "XA", 5_000)) // late
        .feed(count(2, "XA", 89))
        .leavingState() // the means
        .expect("120000000 XB 50 10");
  }
}
