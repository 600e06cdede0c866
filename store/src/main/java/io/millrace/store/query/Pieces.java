package io.millrace.store.query;

import java.util.List;

/**
 * Input of a query: rows with the columns that it groups by and filters on, {@link #PIECE}, the
 * sums of {@link MeasureSums} and {@code rows}, and {@link #EDGE}.
 *
 * @param with CTEs that the relations use
 * @param rows all rows
 * @param buckets rows that are whole buckets; null if not needed
 * @param dropped start, volume and bound of the groups that each bucket dropped; null if none did
 * @param isWholeSet whether buckets have no columns other than the grouping ones
 * @param largest {@code largest}: maximum of a row that is not in the sample; null without sampling
 */
public record Pieces(
    List<Relation.With> with,
    Relation rows,
    Relation buckets,
    Relation dropped,
    boolean isWholeSet,
    Relation largest) {
  /** Start of the bucket, or of the part of a row. */
  public static final String PIECE = "piece";

  /** 1 for a row, 0 for a sum of several. */
  public static final String EDGE = "edge";

  /** Inverse of the probability that a row is sampled. */
  public static final String WEIGHT = "sample_weight";

  /** Probability that a row is not sampled. */
  public static final String MISS = "sample_miss";

  /** Input of rows only. */
  public static Pieces of(Relation rows) {
    return new Pieces(List.of(), rows, null, null, false, null);
  }

  boolean isSampled() {
    return largest != null;
  }
}
