package io.millrace.analytics.trend;

import java.util.Locale;

/** What is said of a keyword in a bucket. */
public enum TrendKind {
  /** More than expected, of a keyword that is known. */
  RISE,
  /** More than is expected of a keyword that was in none of the buckets before. */
  NEW,
  /** Less than expected. */
  FALL;

  /** As it stands in results. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
