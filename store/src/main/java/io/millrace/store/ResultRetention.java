package io.millrace.store;

import java.time.Duration;

/**
 * How long the rows of a table of results stay.
 *
 * @param age after which rows go, by the time of the newest: that of the table's first column of
 *     times. 0 for no limit, else at least 1 h. A table without such a column is bounded by its
 *     size alone
 * @param sizeBytes size of the table beyond which its oldest rows go; 0 for no limit, else at least
 *     1 MiB
 */
public record ResultRetention(Duration age, long sizeBytes) {
  private static final Duration LEAST_AGE = Duration.ofHours(1);
  private static final long LEAST_SIZE = 1L << 20;

  /** A year, whatever its size. */
  public static final ResultRetention DEFAULT = ofDays(366);

  /** Without limits. */
  public static final ResultRetention FOR_EVER = new ResultRetention(Duration.ZERO, 0);

  /** Checks the ranges. */
  public ResultRetention {
    age = age == null ? Duration.ZERO : age; // not said, in a configuration file
    if (!age.isZero() && age.compareTo(LEAST_AGE) < 0) {
      throw new IllegalArgumentException("age: " + age + " is less than " + LEAST_AGE + ", not 0");
    }
    if (sizeBytes != 0 && sizeBytes < LEAST_SIZE) {
      throw new IllegalArgumentException(
          "size: " + sizeBytes + " is less than " + LEAST_SIZE + ", and not 0");
    }
  }

  /** So many days, whatever its size. */
  public static ResultRetention ofDays(int days) {
    return new ResultRetention(Duration.ofDays(days), 0);
  }
}
