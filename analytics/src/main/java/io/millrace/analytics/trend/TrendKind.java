package io.millrace.analytics.trend;

import java.util.Locale;

/** Kind of deviation of a keyword in a bucket. */
public enum TrendKind {
  /** More than expected, for a known keyword. */
  RISE,
  /** More than expected, for a keyword without a count in the preceding buckets. */
  NEW,
  /** Less than expected. */
  FALL;

  /** Label in results. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
