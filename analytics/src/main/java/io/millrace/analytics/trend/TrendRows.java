package io.millrace.analytics.trend;

import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.block.Texts;

/** The rows that go in and come out. */
public final class TrendRows {
  /** What is counted: when, which keyword, how often; no count is one. */
  public static final TableSchema EVENTS =
      TableSchema.builder().time("time").text("keyword").number("count").build();

  /** By what events are dealt out: their keyword, where they have one. */
  public static final RowKeys<TableBlock> KEYWORD =
      (block, hashes) -> {
        Texts keywords = block.texts(1);
        for (int row = 0; row < block.rows(); row++) {
          hashes[row] = hash(keywords.bytes(), keywords.start(row), keywords.length(row));
        }
      };

  /**
   * Trends: begin of the bucket, keyword, count in it, what was expected, the interval round that,
   * by how many of its half-widths the count is above, what kind of trend, and the counts of the
   * buckets before and of this one with blanks between.
   */
  public static final TableSchema TRENDS =
      TableSchema.builder()
          .time("bucket")
          .text("keyword")
          .number("count")
          .fraction("expectation")
          .fraction("lower")
          .fraction("upper")
          .fraction("score")
          .text("kind")
          .text("series")
          .build();

  /**
   * What layers hand on: trends, their stage, and whether somebody has judged early. Of a row of
   * the stage {@link #PART} the bucket, the keyword and the count alone mean something.
   */
  public static final TableSchema STAGES =
      TableSchema.builder()
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
          .number("early")
          .build();

  /** Stage of a count that is still to be added to others. */
  public static final String PART = "part";

  /** Stage of a trend in a part of the counts. */
  public static final String EARLY = "early";

  /** Stage of a trend in all counts. */
  public static final String FINAL = "final";

  /** Stage of what was said early and is no trend in all counts. */
  public static final String WITHDRAWN = "withdrawn";

  private TrendRows() {}

  /** Hash of a keyword, part of state: of its text in UTF-8. */
  public static int hash(byte[] utf8, int offset, int length) {
    return Hash.ofWords(utf8, offset, length);
  }

  /** Appends a trend to a block whose first columns are those of {@link #TRENDS}. */
  public static void append(Judged judged, TableBlock to) {
    to.reserve(1);
    int row = to.rows();
    to.longs(0)[row] = judged.begin();
    judged.keyword(to.texts(1));
    to.longs(2)[row] = judged.count();
    to.doubles(3)[row] = judged.expectation();
    to.doubles(4)[row] = judged.lower();
    to.doubles(5)[row] = judged.upper();
    to.doubles(6)[row] = judged.score();
    to.texts(7).add(judged.kind().label());
    to.texts(8).add(text(judged.series()));
  }

  /** Appends a row of {@link #STAGES}; without a trend its columns are null. */
  static void append(Judged judged, String stage, long early, TableBlock to) {
    if (judged.isTrend()) {
      append(judged, to);
    } else {
      to.reserve(1);
      int row = to.rows();
      to.longs(0)[row] = judged.begin();
      judged.keyword(to.texts(1));
      to.longs(2)[row] = judged.count();
      for (int column = 3; column <= 6; column++) {
        to.doubles(column)[row] = Double.NaN;
      }
      to.texts(7).add((String) null);
      to.texts(8).add((String) null);
    }
    to.texts(9).add(stage);
    to.longs(10)[to.rows()] = early;
    to.rows(to.rows() + 1);
  }

  private static String text(long[] series) {
    StringBuilder text = new StringBuilder();
    for (long count : series) {
      text.append(text.length() == 0 ? "" : " ").append(count);
    }
    return text.toString();
  }
}
