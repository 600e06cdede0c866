package io.millrace.store;

import java.time.Duration;

/**
 * Retention of a table of results.
 *
 * @param age maximum age of rows relative to the newest, by the first time column; 0 for no limit,
 *     else at least 1 h. Tables without a time column are limited by size only
 * @param sizeBytes maximum size of the table, beyond which its oldest rows are removed; 0 for no
 *     limit, else at least 1 MiB
 */
public record ResultRetention(Duration age, long sizeBytes) {
  private static final Duration MIN_AGE = Duration.ofHours(1);
  private static final long MIN_SIZE = 1L << 20;

  /** A year, of any size. */
  public static final ResultRetention DEFAULT = ofDays(366);

  /** No limits. */
  public static final ResultRetention FOR_EVER = new ResultRetention(Duration.ZERO, 0);

  /** Validates the ranges. */
  public ResultRetention {
    age = age == null ? Duration.ZERO : age; // missing in a configuration file
    if (!age.isZero() && age.compareTo(MIN_AGE) < 0) {
      throw new IllegalArgumentException("age: " + age + " is less than " + MIN_AGE + ", not 0");
    }
    if (sizeBytes != 0 && sizeBytes < MIN_SIZE) {
      throw new IllegalArgumentException(
          "size: " + sizeBytes + " is less than " + MIN_SIZE + ", and not 0");
    }
  }

  /** A number of days, of any size. */
  public static ResultRetention ofDays(int days) {
    return new ResultRetention(Duration.ofDays(days), 0);
  }
}
