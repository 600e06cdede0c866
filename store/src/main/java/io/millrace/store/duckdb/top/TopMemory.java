package io.millrace.store.duckdb.top;

/**
 * Memory of the queries for the largest groups of all tables, in total and over time together.
 * Thread-safe.
 *
 * @param buckets sums of whole buckets
 * @param lines what a few groups have in whole buckets
 * @param texts groups in readable form
 * @param answers whole, as of the newest roll
 */
public record TopMemory(
    CachedBuckets buckets, CachedLines lines, GroupTexts texts, RolledAnswers answers) {
  private static final long MIN_BYTES = 16L << 20;
  private static final long MAX_BYTES = 256L << 20;
  private static final int SHARE_OF_HEAP = 16;
  private static final long LINES_BYTES = 32L << 20;

  /** Nothing yet; buckets will take a sixteenth of the heap at most, and lines 32 MiB. */
  public TopMemory() {
    this(
        new CachedBuckets(
            Math.min(
                MAX_BYTES, Math.max(MIN_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP))),
        new CachedLines(LINES_BYTES),
        new GroupTexts(),
        new RolledAnswers());
  }
}
