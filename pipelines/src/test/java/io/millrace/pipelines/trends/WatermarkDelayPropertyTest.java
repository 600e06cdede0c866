package io.millrace.pipelines.trends;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.trend.TrendAnalyzer;
import io.millrace.analytics.trend.TrendLayer;
import io.millrace.analytics.trend.TrendRows;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.pipelines.trends.DocumentedTrends.Line;
import io.millrace.wire.block.TableBlock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Shuffled lines give the documented trends, in each way and at any watermark delay. */
class WatermarkDelayPropertyTest {
  private static final long SECOND = 1_000_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long START = 1_767_225_600_000_000L;
  private static final long[] WATERMARK_DELAY = {
    0, 1, SECOND, 30 * SECOND, MINUTE - 1, MINUTE, MINUTE + 1, 2 * MINUTE, 5 * MINUTE, 60 * MINUTE
  };

  /**
   * Lines of twenty minutes, each delayed by up to 120% of the watermark delay. The rates of
   * keywords rise and fall.
   */
  private static List<Line> lines(SplittableRandom random, long watermarkDelay) {
    List<Line> lines = new ArrayList<>();
    Map<Line, Long> arrivals = new HashMap<>();
    for (int minute = 0; minute < 20; minute++) {
      for (int keyword = 0; keyword < 12; keyword++) {
        int count = random.nextInt(3) == 0 ? random.nextInt(40) : 5;
        for (int i = 0; i < count; i++) {
          long micros = START + minute * MINUTE + 1 + random.nextLong(MINUTE - 1);
          Line line = new Line(micros, "keyword " + keyword, 1 + random.nextInt(2));
          lines.add(line);
          arrivals.putIfAbsent(
              line, micros + random.nextLong(watermarkDelay + watermarkDelay / 5 + 1));
        }
      }
    }
    lines.sort(Comparator.comparing(arrivals::get));
    return lines;
  }

  private static Set<String> shards(
      List<Line> lines, TrendSettings settings, long watermarkDelay, int threads, long late)
      throws Exception {
    Set<String> trends = new HashSet<>();
    try (TrendShards shards =
        new TrendShards(
            settings,
            watermarkDelay,
            threads,
            found ->
                found.forEach(
                    trend ->
                        trends.add(
                            trend.begin()
                                + " "
                                + trend.keyword()
                                + " "
                                + trend.series()
                                + " "
                                + trend.kind().label())))) {
      for (Line line : lines) {
        byte[] keyword = line.keyword().getBytes(StandardCharsets.UTF_8);
        shards.add(keyword, 0, keyword.length, line.micros(), line.count());
      }
      assertThat(shards.finish().late()).isEqualTo(late);
    }
    return trends;
  }

  /** A step of a job whose event time lags the newest line by the watermark delay. */
  private static Set<String> step(
      Analyzer<TableBlock, TableBlock> step, List<Line> lines, long watermarkDelay)
      throws Exception {
    Set<String> trends = new HashSet<>();
    step.open(AnalyzerContext.alone());
    long newest = Long.MIN_VALUE;
    for (Line line : lines) {
      if (line.micros() > newest) {
        newest = line.micros();
        step.watermark(newest - watermarkDelay - 1, block -> trends.addAll(texts(block)));
      }
      TableBlock row = new TableBlock(TrendRows.EVENTS, 1);
      row.longs(0)[0] = line.micros();
      row.texts(1).add(line.keyword());
      row.longs(2)[0] = line.count();
      row.rows(1);
      step.process(row, block -> {});
    }
    step.watermark(Long.MAX_VALUE, block -> trends.addAll(texts(block)));
    return trends;
  }

  static Set<String> texts(TableBlock trends) {
    Set<String> texts = new HashSet<>();
    for (int row = 0; row < trends.rows(); row++) {
      String series = trends.text(row, 8).replace(" ", ", ");
      texts.add(
          trends.longs(0)[row]
              + " "
              + trends.text(row, 1)
              + " ["
              + series
              + "] "
              + trends.text(row, 7));
    }
    return texts;
  }

  @Property(tries = 40)
  void allWaysGiveTheDocumentedTrends(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    long watermarkDelay = WATERMARK_DELAY[random.nextInt(WATERMARK_DELAY.length)];
    TrendSettings settings =
        TrendSettings.defaults().withBuckets(1 + random.nextInt(5)).withFalls(random.nextBoolean());
    List<Line> lines = lines(random, watermarkDelay);
    Set<String> expected = DocumentedTrends.of(lines, settings, watermarkDelay);
    long late = DocumentedTrends.late(lines, settings, watermarkDelay);
    Duration lag = Duration.ofNanos(watermarkDelay * 1_000);
    for (int threads = 1; threads <= 4; threads++) {
      assertThat(shards(lines, settings, watermarkDelay, threads, late))
          .as("watermark delay %d, %d threads", watermarkDelay, threads)
          .isEqualTo(expected);
    }
    assertThat(step(new TrendAnalyzer(settings, lag), lines, watermarkDelay))
        .as("stateful, watermark delay %d", watermarkDelay)
        .isEqualTo(expected);
    assertThat(step(TrendLayer.last(settings, lag), lines, watermarkDelay))
        .as("stateless, watermark delay %d", watermarkDelay)
        .isEqualTo(expected);
  }

  @Example
  void constantCountsHaveNoTrendsAtAnyWatermarkDelay() throws Exception {
    List<Line> lines = new ArrayList<>();
    for (int minute = 0; minute < 12; minute++) {
      lines.add(new Line(START + minute * MINUTE + 10 * SECOND, "solar eclipse", 20));
    }
    for (long watermarkDelay : WATERMARK_DELAY) {
      assertThat(shards(lines, TrendSettings.defaults(), watermarkDelay, 1, 0))
          .as("watermark delay %d", watermarkDelay)
          .isEmpty();
    }
  }

  /** The oldest line arrives second, at one of several shards. */
  @Example
  void allShardsJudgeFromTheSameBucketOn() throws Exception {
    List<Line> lines = new ArrayList<>();
    for (int keyword = 0; keyword < 40; keyword++) {
      lines.add(new Line(START + 2 * MINUTE + 1, "keyword " + keyword, 1));
    }
    lines.add(new Line(START + 1, "the oldest", 1));
    for (int minute = 3; minute < 10; minute++) {
      for (int keyword = 0; keyword < 40; keyword++) {
        lines.add(new Line(START + minute * MINUTE + 1, "keyword " + keyword, 1L << minute));
      }
    }
    TrendSettings settings = TrendSettings.defaults();
    Set<String> expected = DocumentedTrends.of(lines, settings, 3 * MINUTE);
    assertThat(expected).anyMatch(trend -> trend.startsWith(START + 6 * MINUTE + " "));
    for (int threads = 1; threads <= 5; threads++) {
      assertThat(shards(lines, settings, 3 * MINUTE, threads, 0))
          .as("%d threads", threads)
          .isEqualTo(expected);
    }
  }
}
