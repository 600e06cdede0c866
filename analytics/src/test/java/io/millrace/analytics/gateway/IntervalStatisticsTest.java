package io.millrace.analytics.gateway;

import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.TableBlock;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class IntervalStatisticsTest {
  private static TableBlock values(long start, long... bytes) {
    TableBlock block = new TableBlock(GatewayDays.VALUES, bytes.length);
    for (int row = 0; row < bytes.length; row++) {
      block.longs(0)[row] = start;
      block.longs(1)[row] = bytes[row];
    }
    block.rows(bytes.length);
    return block;
  }

  @Test
  void comparesTheGatewaysOfEachInterval() {
    AnalyzerTester.of(() -> new IntervalStatistics(1_000))
        .feed(values(0, LongStream.rangeClosed(1, 60).toArray()))
        .feed(values(1_000, 7, 1))
        .feed(values(0, LongStream.rangeClosed(61, 100).toArray()))
        .watermark(999)
        .feed(values(2_000, 3))
        .expect("0 100 5050 50.5 50.5 95", "1000 2 8 4.0 4.0 7", "2000 1 3 3.0 3.0 3");
  }

  @Test
  void sumsDoNotWrap() {
    long max = Volumes.MAX;
    AnalyzerTester.of(() -> new IntervalStatistics(1_000))
        .feed(values(0, max, max, max, max))
        .watermark(999)
        .expect("0 4 " + max + " " + (double) max + " " + (double) max + " " + max);
  }
}
