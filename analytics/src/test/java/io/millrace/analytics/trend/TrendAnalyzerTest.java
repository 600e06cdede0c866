package io.millrace.analytics.trend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.testing.Lengths;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockFormatException;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class TrendAnalyzerTest {
  private static final long MINUTE = 60_000_000;
  private static final TrendSettings SETTINGS =
      TrendSettings.defaults().withBuckets(2).withRule(2, 1, 1.5);

  private static TableBlock events(Object... cells) {
    TableBlock block = new TableBlock(TrendRows.EVENTS, cells.length / 3);
    for (int i = 0; i < cells.length; i += 3) {
      block.longs(0)[i / 3] = ((Number) cells[i]).longValue();
      block.texts(1).add((String) cells[i + 1]);
      block.longs(2)[i / 3] = ((Number) cells[i + 2]).longValue();
    }
    block.rows(cells.length / 3);
    return block;
  }

  /** Rows with expectation and bounds to three digits. */
  private static List<String> rows(TableBlock block) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      rows.add(
          String.format(
              Locale.ROOT,
              "%d %s %d, %.1f [%.3f, %.3f], %.3f %s: %s",
              block.longs(0)[row] / MINUTE,
              block.texts(1).get(row),
              block.longs(2)[row],
              block.doubles(3)[row],
              block.doubles(4)[row],
              block.doubles(5)[row],
              block.doubles(6)[row],
              block.texts(7).get(row),
              block.texts(8).get(row)));
    }
    return rows;
  }

  private static AnalyzerTester<TableBlock, TableBlock> tester(TrendSettings settings) {
    return AnalyzerTester.of(() -> new TrendAnalyzer(settings), TrendAnalyzerTest::rows)
        .keyedBy(TrendRows.keyword(settings));
  }

  @Test
  void findsRisesAndNewKeywordsAfterTheTrainingBuckets() {
    tester(SETTINGS)
        .watermark(0)
        .feed(events(1, "steady", 10, 2, "rising", 10, MINUTE, "steady", 12))
        .watermark(MINUTE - 1)
        .feed(events(MINUTE, "rising", 14, 2 * MINUTE, "steady", 8, 2 * MINUTE, "rising", 10))
        .feed(events(3 * MINUTE, "rising", 40, 3 * MINUTE + 1, "new", 9, 3 * MINUTE, "steady", 15))
        .watermark(2 * MINUTE - 1)
        .watermark(4 * MINUTE - 1)
        .feed(events(4 * MINUTE, "rising", 40, 4 * MINUTE, "new", 1))
        .expect(
            // a mean of 12 from 14 and 10, and Garwood's interval for 12 at 99%
            "3 rising 40, 12.0 [4.943, 24.145], 2.916 rise: 14 10 40",
            "3 new 9, 1.0 [0.005, 7.430], 2.155 new: 0 0 9");
  }

  @Test
  void reportsFallsOnlyIfEnabled() {
    AnalyzerTester<TableBlock, TableBlock> asked = tester(SETTINGS.withFalls(true));
    AnalyzerTester<TableBlock, TableBlock> silent = tester(SETTINGS);
    for (AnalyzerTester<TableBlock, TableBlock> tester : List.of(asked, silent)) {
      tester.watermark(0);
      for (int minute = 1; minute <= 3; minute++) {
        tester.feed(
            events(minute * MINUTE, "less", 100, minute * MINUTE, "gone", 100, minute, "x", 1));
      }
      tester.feed(events(4 * MINUTE, "less", 40)).watermark(5 * MINUTE - 1);
    }
    asked.expect(
        "4 gone 0, 100.0 [76.120, 128.761], -3.799 fall: 100 100 0",
        "4 less 40, 100.0 [76.120, 128.761], -2.280 fall: 100 100 40");
    silent.expect();
  }

  @Test
  void countsRowsWithinTheWatermarkDelayInTheirBucketAndLaterOnesAsLate() {
    tester(SETTINGS)
        .watermark(0)
        .feed(events(MINUTE, "a", 10, 2 * MINUTE, "a", 10, 3 * MINUTE, "a", 20))
        .watermark(3 * MINUTE - 1)
        .feed(events(2 * MINUTE, "a", 1_000, 4 * MINUTE, "a", 10, 3 * MINUTE, "a", 30))
        .feed(events(3 * MINUTE, null, 1, 3 * MINUTE, "a", 0, 3 * MINUTE, "a", TableBlock.NULL))
        .expectCounted("lateRows", 1)
        .expectCounted("badRows", 2)
        .expect("3 a 51, 10.0 [3.717, 21.398], 4.638 rise: 10 10 51");
  }

  @Test
  void aBackfillIsNotLate() {
    tester(SETTINGS)
        .watermark(0)
        .feed(events(3_000 * MINUTE, "a", 10))
        .watermark(3_001 * MINUTE - 1)
        .feed(events(2_940 * MINUTE, "a", 10, 2_941 * MINUTE, "a", 10))
        .expectCounted("historyRows", 1)
        .expectCounted("lateRows", 1)
        .expect("3000 a 10, 1.0 [0.005, 7.430], 2.424 new: 0 0 10");
  }

  @Test
  void remembersCountsBeforeAGap() {
    tester(SETTINGS)
        .watermark(0)
        .feed(events(MINUTE, "a", 50, 2 * MINUTE, "a", 50, 4 * MINUTE, "a", 60))
        .feed(events(100 * MINUTE, "a", 60))
        .expect(
            "4 a 60, 25.0 [13.995, 41.000], 2.592 rise: 50 0 60",
            "100 a 60, 1.0 [0.005, 7.430], 15.892 new: 0 0 60");
  }

  @Test
  void isTheSameForEveryOrderOfRowsWithinLateness() {
    // The same rows as sorted input, with a watermark one bucket before the newest row.
    Object[][] rows = {
      {MINUTE, "a", 10},
      {2 * MINUTE, "b", 30},
      {MINUTE + 5, "a", 5},
      {3 * MINUTE, "a", 60},
      {2 * MINUTE + 9, "a", 12},
      {3 * MINUTE, "c", 25},
      {2 * MINUTE, "c", 1}
    };
    AnalyzerTester<TableBlock, TableBlock> disordered = tester(SETTINGS).watermark(0);
    long newest = 0;
    for (Object[] row : rows) {
      disordered.feed(events(row));
      newest = Math.max(newest, ((Number) row[0]).longValue());
      disordered.watermark(newest - 2 * MINUTE);
    }
    AnalyzerTester<TableBlock, TableBlock> sorted = tester(SETTINGS).watermark(0);
    Arrays.stream(rows)
        .sorted(Comparator.comparingLong(row -> ((Number) row[0]).longValue()))
        .forEach(row -> sorted.feed(events(row)));
    String[] expected = {
      "3 a 60, 13.5 [5.904, 26.168], 4.589 rise: 15 12 60",
      "3 c 25, 1.0 [0.005, 7.430], 6.465 new: 0 0 25"
    };
    disordered.expect(expected);
    sorted.expect(expected);
  }

  @Test
  void keywordsOfSubtasksWithoutRowsAtFirstAreJudgedAsSoonAsOthers() {
    AnalyzerTester<TableBlock, TableBlock> tester = tester(SETTINGS);
    tester.feed(events(1, "first", 1));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 9; i++) { // some of them in other subtasks
      tester.feed(events(3 * MINUTE, "keyword " + i, 9));
      expected.add("3 keyword " + i + " 9, 1.0 [0.005, 7.430], 2.155 new: 0 0 9");
    }
    tester.watermark(4 * MINUTE - 1).expect(expected.toArray(String[]::new));
  }

  @Test
  void keywordsOfAnyLengthRiseAndFall() {
    AnalyzerTester<TableBlock, TableBlock> tester = tester(SETTINGS.withFalls(true)).watermark(0);
    for (int minute = 1; minute <= 3; minute++) {
      List<Object> cells = new ArrayList<>();
      for (int length : Lengths.around()) {
        cells.addAll(List.of(minute * MINUTE, Lengths.text(length), minute < 3 ? 10 : 100));
      }
      tester.feed(events(cells.toArray()));
    }
    List<String> expected = new ArrayList<>();
    for (int length : Lengths.around()) {
      String keyword = Lengths.text(length);
      expected.add("3 " + keyword + " 100, 10.0 [3.717, 21.398], 10.180 rise: 10 10 100");
      expected.add("4 " + keyword + " 0, 55.0 [37.775, 77.147], -2.794 fall: 10 100 0");
    }
    tester.watermark(5 * MINUTE - 1).expect(expected.toArray(String[]::new));
  }

  @Test
  void rejectsStateOfOtherBuckets() throws Exception {
    TrendAnalyzer analyzer = new TrendAnalyzer(SETTINGS);
    analyzer.open(AnalyzerContext.alone());
    analyzer.watermark(MINUTE, block -> {});
    BlockBuffer out = new BlockBuffer(64);
    analyzer.snapshot().write(0, out);
    TrendAnalyzer other = new TrendAnalyzer(SETTINGS.withBucket(Duration.ofHours(1)));
    other.open(AnalyzerContext.alone());
    assertThatThrownBy(() -> other.restore(0, new BlockInput(out.bytes(), 0, out.length())))
        .isInstanceOf(BlockFormatException.class)
        .hasMessageContaining("the settings differ: restore them");
    assertThat(analyzer.snapshot().isEmpty(0)).isFalse();
  }
}
