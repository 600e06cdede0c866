package io.millrace.store;

import java.time.Duration;
import java.util.Map;

/**
 * Retention settings. Rollups ({@code rollups.retention}) outlive the rows of flows.
 *
 * @param rows maximum age of rows of flows relative to the newest; at least 1 h
 * @param sizeBytes maximum size of the store, beyond which the oldest rows are removed, then the
 *     oldest buckets of the finest rollups; 0 for no limit, else at least 16 MiB
 * @param results limits of tables of results, by name, overriding their declarations
 * @param replays number of newest replays whose tables are kept; at least 1
 */
public record RetentionConfig(
    Duration rows, long sizeBytes, Map<String, ResultRetention> results, int replays) {
  private static final Duration MIN_AGE = Duration.ofHours(1);
  private static final long MIN_SIZE = 16L << 20;
  private static final int REPLAYS = 20;

  /** A week, of any size. */
  public static final RetentionConfig DEFAULT = new RetentionConfig(Duration.ofDays(7), 0);

  /** Declared limits for tables of results, and the 20 newest replays. */
  public RetentionConfig(Duration rows, long sizeBytes) {
    this(rows, sizeBytes, Map.of(), REPLAYS);
  }

  /** Validates the ranges. */
  public RetentionConfig {
    results = Map.copyOf(results);
    if (rows.compareTo(MIN_AGE) < 0) {
      throw new IllegalArgumentException(
          "store.retention.rows: " + rows + " is less than " + MIN_AGE);
    }
    if (sizeBytes != 0 && sizeBytes < MIN_SIZE) {
      throw new IllegalArgumentException(
          "store.retention.size: " + sizeBytes + " is less than " + MIN_SIZE + ", and not 0");
    }
    if (replays < 1) {
      throw new IllegalArgumentException("store.retention.replays: " + replays + " is less than 1");
    }
  }
}
