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
public record TrendTally(long counted, long late, long crowdedOut, long forgotten, long keywords) {
  static final TrendTally NONE = new TrendTally(0, 0, 0, 0, 0);

  TrendTally plus(TrendTally other) {
    return new TrendTally(
        counted + other.counted,
        late + other.late,
        crowdedOut + other.crowdedOut,
        forgotten + other.forgotten,
        keywords + other.keywords);
  }
}
