package io.millrace.analytics.trend;

import io.millrace.analytics.keyed.BucketedKeys;
import io.millrace.analytics.keyed.Hash;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.block.Texts;
import java.util.stream.IntStream;

/** Schemas of the input and the output rows. */
public final class TrendRows {
  /** Events: time, keyword, count; null counts as 1. */
  public static final TableSchema EVENTS =
      TableSchema.builder().time("time").text("keyword").number("count").build();

  /**
   * Trends: begin of the bucket, keyword, count, expectation, interval around it, score, kind of
   * trend, counts of the preceding buckets and of this one separated by blanks, stage, and the last
   * moment of the bucket.
   */
  public static final TableSchema TRENDS = trends().build();

  /**
   * Rows between layers: trends, and whether a layer has emitted the trend early. Rows of the stage
   * {@link #PART} have only bucket, keyword and count.
   */
  static final TableSchema STAGES = trends().number("early").build();

  private static final int STAGE = TRENDS.indexOf("stage");
  private static final int LAST_MOMENT = TRENDS.indexOf("bucket_end");

  private static final int[] PREFIX = IntStream.range(0, TRENDS.size()).toArray();

  private static final int EARLIER = STAGES.indexOf("early");

  /** Stage of a count that is still to be merged with others. */
  public static final String PART = "part";

  /** Stage of a trend in a part of the counts. */
  public static final String EARLY = "early";

  /** Stage of a trend in all counts. */
  public static final String FINAL = "final";

  /** Stage of an early trend that is none in all counts. */
  public static final String WITHDRAWN = "withdrawn";

  private TrendRows() {}

  /** Partitions events by keyword, for {@link TrendAnalyzer}. */
  public static BucketedKeys<TableBlock> keyword(TrendSettings settings) {
    return new Keywords(settings.bucketMicros());
  }

  private record Keywords(long bucketMicros) implements BucketedKeys<TableBlock> {
    @Override
    public void hashes(TableBlock block, int[] hashes) {
      Texts keywords = block.texts(1);
      for (int row = 0; row < block.rows(); row++) {
        hashes[row] = hash(keywords.bytes(), keywords.start(row), keywords.length(row));
      }
    }

    @Override
    public long[] times(TableBlock block) {
      return block.longs(0);
    }

    @Override
    public boolean isCounted(TableBlock block, int row) {
      return TrendCounters.isCounted(block, row);
    }

    @Override
    public TableBlock empty() {
      return new TableBlock(EVENTS, 0);
    }
  }

  /** Hash of a keyword in UTF-8; part of the state's format. */
  public static int hash(byte[] utf8, int offset, int length) {
    return Hash.ofWords(utf8, offset, length);
  }

  private static TableSchema.Builder trends() {
    return TableSchema.builder()
        .time("bucket")
        .text("keyword")
        .number("count")
        .fraction("expectation")
        .fraction("lower")
        .fraction("upper")
        .fraction("score")
        .text("kind")
        .text("series")
        .text("stage")
        .time("bucket_end");
  }

  static void append(Judgement judged, TableBlock to) {
    fill(judged, FINAL, to);
    to.rows(to.rows() + 1);
  }

  static void append(Judgement judged, String stage, long early, TableBlock to) {
    fill(judged, stage, to);
    to.longs(EARLIER)[to.rows()] = early;
    to.rows(to.rows() + 1);
  }

  private static void fill(Judgement judged, String stage, TableBlock to) {
    to.reserve(1);
    int row = to.rows();
    boolean isTrend = judged.isTrend();
    to.longs(0)[row] = judged.begin();
    judged.keyword(to.texts(1));
    to.longs(2)[row] = judged.count();
    to.doubles(3)[row] = isTrend ? judged.expectation() : Double.NaN;
    to.doubles(4)[row] = isTrend ? judged.lower() : Double.NaN;
    to.doubles(5)[row] = isTrend ? judged.upper() : Double.NaN;
    to.doubles(6)[row] = isTrend ? judged.score() : Double.NaN;
    to.texts(7).add(isTrend ? judged.kind().label() : null);
    to.texts(8).add(isTrend ? text(judged.series()) : null);
    to.texts(STAGE).add(stage);
    to.longs(LAST_MOMENT)[row] = judged.lastMoment();
  }

  static TableBlock trends(TableBlock stages) {
    return stages.as(TRENDS, PREFIX);
  }

  private static String text(long[] series) {
    StringBuilder text = new StringBuilder();
    for (long count : series) {
      text.append(text.length() == 0 ? "" : " ").append(count);
    }
    return text.toString();
  }
}
