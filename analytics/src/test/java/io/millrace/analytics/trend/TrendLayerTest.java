package io.millrace.analytics.trend;

import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A subtask of a layer in all the ways of the tester: single rows, restores, back-pressure. */
class TrendLayerTest {
  private static final long MINUTE = 60_000_000;
  private static final int STAGE = TrendRows.STAGES.indexOf("stage");
  private static final int MARKED = TrendRows.STAGES.indexOf("early");
  private static final TrendSettings SETTINGS =
      TrendSettings.defaults().withBuckets(2).withRule(2, 1, 1.5);

  private static AnalyzerTester<TableBlock, TableBlock> tester(Supplier<TrendLayer> layer) {
    return AnalyzerTester.of(layer, TrendLayerTest::rows).watermark(0);
  }

  private static AnalyzerTester<TableBlock, TableBlock> inner() {
    return tester(() -> TrendLayer.inner(SETTINGS, Duration.ZERO));
  }

  private static AnalyzerTester<TableBlock, TableBlock> last() {
    return tester(() -> TrendLayer.last(SETTINGS, Duration.ZERO));
  }

  /**
   * Bucket, keyword, count, stage, and for forwarded rows whether a layer has emitted the trend
   * early.
   */
  private static List<String> rows(TableBlock block) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      String line =
          "%d %s %d %s"
              .formatted(
                  block.longs(0)[row] / MINUTE,
                  block.texts(1).get(row),
                  block.longs(2)[row],
                  block.texts(STAGE).get(row));
      boolean isHandedOn = block.schema().equals(TrendRows.STAGES);
      rows.add(isHandedOn && block.longs(MARKED)[row] > 0 ? line + ", marked" : line);
    }
    return rows;
  }

  private static TableBlock events(int minute, Object... keywordsAndCounts) {
    TableBlock block = new TableBlock(TrendRows.EVENTS, keywordsAndCounts.length / 2);
    for (int i = 0; i < keywordsAndCounts.length; i += 2) {
      block.longs(0)[i / 2] = minute * MINUTE + i;
      block.texts(1).add((String) keywordsAndCounts[i]);
      block.longs(2)[i / 2] = (int) keywordsAndCounts[i + 1];
    }
    block.rows(keywordsAndCounts.length / 2);
    return block;
  }

  /** A row as forwarded by an upstream layer. */
  private static TableBlock handedOn(
      int minute, String keyword, int count, String stage, int marked) {
    TableBlock block = new TableBlock(TrendRows.STAGES, 1);
    block.longs(0)[0] = minute * MINUTE;
    block.texts(1).add(keyword);
    block.longs(2)[0] = count;
    for (int column = 3; column <= 6; column++) {
      block.doubles(column)[0] = Double.NaN;
    }
    block.texts(7).add((String) null);
    block.texts(8).add((String) null);
    block.texts(STAGE).add(stage);
    block.longs(STAGE + 1)[0] = (minute + 1) * MINUTE - 1;
    block.longs(MARKED)[0] = marked;
    block.rows(1);
    return block;
  }

  @Test
  void aPartIsForwardedWithItsEarlyTrends() {
    inner()
        .feed(events(1, "steady", 10, "rising", 10))
        .watermark(2 * MINUTE - 1)
        .feed(events(2, "rising", 10, "steady", 8))
        .feed(events(3, "rising", 40, "steady", 9))
        .watermark(3 * MINUTE - 1)
        .feed(events(3, "steady", 2))
        .expect(
            "1 steady 10 part",
            "1 rising 10 part",
            "2 steady 8 part",
            "2 rising 10 part",
            "3 steady 11 part",
            "3 rising 40 early, marked",
            "3 rising 40 part, marked");
  }

  @Test
  void earlyTrendsAreForwardedAndEmittedOnce() {
    inner()
        .feed(handedOn(1, "rising", 10, TrendRows.PART, 0))
        .feed(handedOn(2, "rising", 10, TrendRows.PART, 0))
        .feed(handedOn(3, "rising", 20, TrendRows.EARLY, 1))
        .feed(handedOn(3, "rising", 20, TrendRows.PART, 1))
        .watermark(3 * MINUTE - 1)
        .feed(handedOn(3, "rising", 20, TrendRows.PART, 0))
        .expect(
            "1 rising 10 part",
            "2 rising 10 part",
            "3 rising 20 early, marked",
            "3 rising 40 part, marked");
  }

  @Test
  void theLastLayerConfirmsOrWithdraws() {
    AnalyzerTester<TableBlock, TableBlock> tester = last();
    for (int minute = 1; minute <= 2; minute++) {
      for (int copy = 0; copy < 2; copy++) {
        tester
            .feed(handedOn(minute, "rising", 5, TrendRows.PART, 0))
            .feed(handedOn(minute, "steady", 10, TrendRows.PART, 0));
      }
      tester.watermark((minute + 1) * MINUTE - 1);
    }
    tester
        .feed(handedOn(3, "rising", 20, TrendRows.EARLY, 1))
        .feed(handedOn(3, "rising", 20, TrendRows.PART, 1))
        .feed(handedOn(3, "steady", 18, TrendRows.EARLY, 1))
        .feed(handedOn(3, "steady", 18, TrendRows.PART, 1))
        .feed(handedOn(3, "rising", 20, TrendRows.PART, 0))
        .feed(handedOn(3, "steady", 2, TrendRows.PART, 0))
        .expect(
            "3 rising 20 early", "3 steady 18 early", "3 rising 40 final", "3 steady 20 withdrawn");
  }

  /**
   * Rows that arrive after their bucket was evaluated are counted and dropped, also after a
   * restore.
   */
  @Test
  void partsOfJudgedBucketsAreLate() {
    last()
        .feed(events(1, "a", 10))
        .feed(events(2, "a", 10))
        .watermark(3 * MINUTE - 1)
        .feed(events(2, "a", 1_000))
        .feed(events(3, "a", 40))
        .expectCounted("lateRows", 1)
        .expect("3 a 40 final");
  }

  /** Ten times as much at eight each morning is usual from the eighth day on, restored or not. */
  @Test
  void usualHoursOutliveARestart() {
    TrendSettings usual =
        TrendSettings.defaults()
            .withBucket(Duration.ofHours(1))
            .withBaseline(TrendSettings.Baseline.USUAL);
    AnalyzerTester<TableBlock, TableBlock> tester =
        tester(() -> TrendLayer.last(usual, Duration.ZERO));
    for (int day = 0; day < 10; day++) {
      TableBlock hours = new TableBlock(TrendRows.EVENTS, 24);
      for (int hour = 0; hour < 24; hour++) {
        hours.longs(0)[hour] = 60 * MINUTE * (24L * day + hour);
        hours.texts(1).add("news");
        hours.longs(2)[hour] = hour == 8 ? 1_000 : 100;
      }
      hours.rows(24);
      tester.feed(hours).watermark(60 * MINUTE * 24 * (day + 1) - 1);
    }
    tester.expect(
        IntStream.range(0, 7)
            .mapToObj(day -> 60 * (24 * day + 8) + " news 1000 final")
            .toArray(String[]::new));
  }
}
