package io.millrace.pipelines.trends;

/**
 * What became of the rows.
 *
 * @param counted in a bucket
 * @param late behind the judgement of their bucket, and left out
 * @param crowdedOut for want of room for their keyword
 * @param forgotten keywords that were given up for want of room
 * @param keywords that are known
 */
public record TrendTotals(long counted, long late, long crowdedOut, long forgotten, long keywords) {
  static final TrendTotals NONE = new TrendTotals(0, 0, 0, 0, 0);

  TrendTotals plus(TrendTotals other) {
    return new TrendTotals(
        counted + other.counted,
        late + other.late,
        crowdedOut + other.crowdedOut,
        forgotten + other.forgotten,
        keywords + other.keywords);
  }
}
