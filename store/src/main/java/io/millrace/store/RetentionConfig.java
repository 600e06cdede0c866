package io.millrace.store;

import java.time.Duration;
import java.util.Map;

/**
 * How long rows stay. What {@code rollups.retention} keeps of flows stays longer than they do.
 *
 * @param rows age after which rows of flows go, by the time of the newest; at least 1 h
 * @param sizeBytes size of the store beyond which the oldest rows go first, and when none are left,
 *     the oldest buckets of the shortest rollups; 0 for no limit, else at least 16 MiB
 * @param results limits of tables of results, by name, in place of those that they are declared
 *     with
 * @param replays how many replays keep their tables, the newest; at least 1
 */
public record RetentionConfig(
    Duration rows, long sizeBytes, Map<String, ResultRetention> results, int replays) {
  private static final Duration LEAST_AGE = Duration.ofHours(1);
  private static final long LEAST_SIZE = 16L << 20;
  private static final int REPLAYS = 20;

  /** A week, whatever its size. */
  public static final RetentionConfig DEFAULT = new RetentionConfig(Duration.ofDays(7), 0);

  /** With tables of results as they are declared, and those of the newest 20 replays. */
  public RetentionConfig(Duration rows, long sizeBytes) {
    this(rows, sizeBytes, Map.of(), REPLAYS);
  }

  /** Checks the ranges. */
  public RetentionConfig {
    results = Map.copyOf(results);
    if (rows.compareTo(LEAST_AGE) < 0) {
      throw new IllegalArgumentException(
          "store.retention.rows: " + rows + " is less than " + LEAST_AGE);
    }
    if (sizeBytes != 0 && sizeBytes < LEAST_SIZE) {
      throw new IllegalArgumentException(
          "store.retention.size: " + sizeBytes + " is less than " + LEAST_SIZE + ", and not 0");
    }
    if (replays < 1) {
      throw new IllegalArgumentException("store.retention.replays: " + replays + " is less than 1");
    }
  }
}
