package io.millrace.pipelines.trends;

/**
 * Totals of the rows.
 *
 * @param counted rows counted in a bucket
 * @param late rows dropped because their bucket was already judged
 * @param crowdedOut rows dropped because the table of keywords was full
 * @param forgotten evicted keywords
 * @param keywords number of keywords in the table
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
