package io.millrace.store;

import java.time.Duration;

/**
 * How long rows of flows stay. What {@code rollups.retention} keeps of them stays longer.
 *
 * @param rows age after which rows go, by the time of the newest; at least 1 h
 * @param sizeBytes size of the store beyond which the oldest rows go first, and when none are left,
 *     the oldest buckets of the shortest rollups; 0 for no limit, else at least 16 MiB
 */
public record RetentionConfig(Duration rows, long sizeBytes) {
  private static final Duration LEAST_AGE = Duration.ofHours(1);
  private static final long LEAST_SIZE = 16L << 20;

  /** A week, whatever its size. */
  public static final RetentionConfig DEFAULT = new RetentionConfig(Duration.ofDays(7), 0);

  /** Checks the ranges. */
  public RetentionConfig {
    if (rows.compareTo(LEAST_AGE) < 0) {
      throw new IllegalArgumentException(
          "store.retention.rows: " + rows + " is less than " + LEAST_AGE);
    }
    if (sizeBytes != 0 && sizeBytes < LEAST_SIZE) {
      throw new IllegalArgumentException(
          "store.retention.size: " + sizeBytes + " is less than " + LEAST_SIZE + ", and not 0");
    }
  }
}
