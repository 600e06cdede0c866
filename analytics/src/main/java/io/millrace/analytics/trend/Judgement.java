package io.millrace.analytics.trend;

import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.keyed.KeyBytes;
import io.millrace.wire.block.Texts;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A keyword's count in a bucket that is over, and what is said of it. One is filled again and
 * again, and means something only within the call that is given it.
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

  /**
   * Nothing yet.
   *
   * @param buckets of the mean
   * @param bucketMicros length of each
   */
  Judgement(int buckets, long bucketMicros) {
    this.bucketMicros = bucketMicros;
    series = new long[buckets + 1];
  }

  /** Is of an entry of a bucket's table from now on. */
  void counts(ByteKeyTable counts, int entry) {
    counts.key(entry, keyword);
    count = counts.values(OpenBuckets.COUNT)[entry];
    marks = counts.values(OpenBuckets.MARKS)[entry];
  }

  /** Begin of the bucket, in microseconds since the epoch. */
  public long begin() {
    return begin;
  }

  /** Last moment of the bucket. */
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

  /** How often it was counted. */
  public long count() {
    return count;
  }

  /** What was added up beside the count. */
  public long marks() {
    return marks;
  }

  /** Whether the count is a trend; what follows means something only then. */
  public boolean isTrend() {
    return kind != null;
  }

  /** What kind of trend. */
  public TrendKind kind() {
    return kind;
  }

  /** What was expected. */
  public double expectation() {
    return expectation;
  }

  /** Lower end of the interval round the expectation. */
  public double lower() {
    return lower;
  }

  /** Upper end. */
  public double upper() {
    return upper;
  }

  /** By how many half-widths of the interval the count is above the expectation. */
  public double score() {
    return score;
  }

  /** The counts of the buckets before, the oldest first, and of this one; not a copy. */
  public long[] series() {
    return series;
  }

  /** The trend, of its own. */
  public Trend trend() {
    List<Long> counts = Arrays.stream(series).boxed().toList();
    return new Trend(begin, keyword(), count, expectation, lower, upper, score, kind, counts);
  }
}
