package io.millrace.pipelines.trends;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.trend.Trend;
import io.millrace.analytics.trend.TrendAnalyzer;
import io.millrace.analytics.trend.TrendRows;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.wire.block.TableBlock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TrendShardsPropertyTest {
  private static final long MINUTE = 60_000_000;
  private static final int ROWS = 20_000;
  private static final long START = 1_767_225_600_000_000L;

  /**
   * Rows over twelve minutes: some are late, and there are more keywords than fit into the table.
   */
  private static TableBlock rows(long seed, int keywords) {
    SplittableRandom random = new SplittableRandom(seed);
    TableBlock rows = new TableBlock(TrendRows.EVENTS, ROWS);
    for (int row = 0; row < ROWS; row++) {
      long minute = row * 12L / ROWS;
      int keyword = (int) (keywords * Math.pow(random.nextDouble(), 4));
      rows.longs(0)[row] = START + 12 * MINUTE * row / ROWS - random.nextLong(3 * MINUTE / 2);
      rows.texts(1).add("keyword " + keyword);
      rows.longs(2)[row] = (minute + keyword) % 5 == 0 ? 9 : 1;
    }
    rows.rows(ROWS);
    return rows;
  }

  private record Result(List<Trend> trends, TrendTotals totals) {}

  private static Result run(TableBlock rows, TrendSettings settings, int threads) throws Exception {
    List<Trend> trends = new ArrayList<>();
    try (TrendShards shards = new TrendShards(settings, MINUTE, threads, trends::addAll)) {
      for (int row = 0; row < rows.rows(); row++) {
        byte[] keyword = rows.texts(1).get(row).getBytes(StandardCharsets.UTF_8);
        shards.add(keyword, 0, keyword.length, rows.longs(0)[row], rows.longs(2)[row]);
      }
      return new Result(trends, shards.finish());
    }
  }

  @Property(tries = 6)
  void givesTheSameForAnyNumberOfThreadsAlsoWithoutRoom(@ForAll long seed) throws Exception {
    TableBlock rows = rows(seed, 30_000);
    TrendSettings settings = TrendSettings.defaults().withBuckets(2).withKeywords(1_024);
    Result one = run(rows, settings, 1);
    assertThat(one.totals().late()).isPositive();
    assertThat(one.totals().crowdedOut()).isPositive();
    assertThat(one.totals().counted() + one.totals().late() + one.totals().crowdedOut())
        .isEqualTo(ROWS);
    assertThat(one.trends()).isNotEmpty();
    for (int threads = 2; threads <= 5; threads++) {
      Result several = run(rows, settings, threads);
      assertThat(several.totals()).isEqualTo(one.totals());
      assertThat(several.trends().equals(one.trends())).as(threads + " threads").isTrue();
    }
  }

  @Property(tries = 6)
  void givesWhatTheAnalyzerGives(@ForAll long seed) throws Exception {
    TableBlock rows = rows(seed, 2_000);
    TrendSettings settings = TrendSettings.defaults().withBuckets(3).withFalls(true);
    List<String> expected = new ArrayList<>();
    TrendAnalyzer analyzer = new TrendAnalyzer(settings, Duration.ofMinutes(1));
    analyzer.open(AnalyzerContext.alone());
    long newest = Long.MIN_VALUE;
    for (int row = 0; row < rows.rows(); row++) {
      if (rows.longs(0)[row] > newest) {
        newest = rows.longs(0)[row];
        analyzer.watermark(newest - MINUTE - 1, block -> expected.addAll(texts(block)));
      }
      analyzer.process(rows.select(new int[] {row}, 1), block -> {});
    }
    analyzer.watermark(Long.MAX_VALUE, block -> expected.addAll(texts(block)));
    List<String> given =
        run(rows, settings, 3).trends().stream()
            .map(trend -> trend.begin() + " " + trend.keyword() + " " + trend.score())
            .toList();
    assertThat(given).isNotEmpty().containsExactlyInAnyOrderElementsOf(expected);
  }

  private static List<String> texts(TableBlock trends) {
    List<String> texts = new ArrayList<>();
    for (int row = 0; row < trends.rows(); row++) {
      texts.add(trends.text(row, 0) + " " + trends.text(row, 1) + " " + trends.text(row, 6));
    }
    return texts;
  }

  @Test
  void closeStopsTheThreadsWithPendingRows() throws Exception {
    TrendShards shards = new TrendShards(TrendSettings.defaults(), 0, 3, trends -> {});
    byte[] keyword = {'a'};
    shards.add(keyword, 0, 1, START, 1);
    shards.close();
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain("trends-shard");
  }
}
