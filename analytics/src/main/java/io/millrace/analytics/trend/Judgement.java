package io.millrace.analytics.trend;

import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.keyed.KeyBytes;
import io.millrace.wire.block.Texts;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A keyword's count in a closed bucket and its evaluation. Instances are reused, and valid only
 * within the call that receives them.
 */
public final class Judgement {
  final KeyBytes keyword = new KeyBytes();
  long begin;
  long count;
  long marks;
  TrendKind kind;
  double expectation;
  double lower;
  double upper;
  double score;
  long[] series;

  private final long bucketMicros;

  Judgement(int buckets, long bucketMicros) {
    this.bucketMicros = bucketMicros;
    series = new long[buckets + 1];
  }

  void counts(ByteKeyTable counts, int entry) {
    counts.key(entry, keyword);
    count = counts.values(OpenBuckets.COUNT)[entry];
    marks = counts.values(OpenBuckets.MARKS)[entry];
  }

  /** Begin of the bucket, microseconds since the epoch. */
  public long begin() {
    return begin;
  }

  long lastMoment() {
    return begin + bucketMicros - 1;
  }

  /** The keyword. */
  public String keyword() {
    return new String(keyword.bytes(), 0, keyword.length(), StandardCharsets.UTF_8);
  }

  /** Adds the keyword to a column. */
  public void keyword(Texts to) {
    to.add(keyword.bytes(), 0, keyword.length());
  }

  /** Count of the keyword. */
  public long count() {
    return count;
  }

  /** Sum of the marks. */
  public long marks() {
    return marks;
  }

  /** Whether the count is a trend; the methods below are defined only then. */
  public boolean isTrend() {
    return kind != null;
  }

  /** Kind of trend. */
  public TrendKind kind() {
    return kind;
  }

  /** Expected count. */
  public double expectation() {
    return expectation;
  }

  /** Lower end of the interval around the expectation. */
  public double lower() {
    return lower;
  }

  /** Upper end of the interval around the expectation. */
  public double upper() {
    return upper;
  }

  /** Distance of the count above the expectation, in half-widths of the interval. */
  public double score() {
    return score;
  }

  /** Counts of the preceding buckets, oldest first, and of this one; not a copy. */
  public long[] series() {
    return series;
  }

  /** Copy of the trend. */
  public Trend trend() {
    List<Long> counts = Arrays.stream(series).boxed().toList();
    return new Trend(begin, keyword(), count, expectation, lower, upper, score, kind, counts);
  }
}
