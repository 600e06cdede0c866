package io.millrace.store.duckdb.top;

/**
 * Caches of the queries for the largest groups, in total and over time, of all tables. Thread-safe.
 *
 * @param buckets sums of whole buckets
 * @param lines volumes of a few groups in whole buckets
 * @param texts groups as text
 * @param results whole results as of the newest roll
 */
public record TopMemory(
    CachedBuckets buckets, CachedLines lines, GroupTexts texts, RolledResults results) {
  private static final long MIN_BYTES = 16L << 20;
  private static final long MAX_BYTES = 256L << 20;
  private static final int SHARE_OF_HEAP = 16;
  private static final long LINES_BYTES = 32L << 20;

  /** Empty caches: buckets take at most a sixteenth of the heap, lines 32 MiB. */
  public TopMemory() {
    this(
        new CachedBuckets(
            Math.min(
                MAX_BYTES, Math.max(MIN_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP))),
        new CachedLines(LINES_BYTES),
        new GroupTexts(),
        new RolledResults());
  }
}
