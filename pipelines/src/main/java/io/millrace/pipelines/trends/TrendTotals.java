package io.millrace.pipelines.trends;

/**
 * Totals of the rows.
 *
 * @param counted in a bucket
 * @param late dropped because their bucket had been judged
 * @param crowdedOut dropped because the table of keywords was full
 * @param forgotten evicted keywords
 * @param keywords in the table
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
