package io.millrace.store;

import java.time.Instant;
import java.util.List;

/**
 * The largest groups, largest first.
 *
 * @param columns names of the columns grouped by
 * @param rows the groups
 * @param total volume of all groups, also of those not listed
 * @param bound the most that the total lacks: with a filter, what of the groups that buckets have
 *     dropped may pass it; 0 where nothing was dropped, and without a filter
 * @param error half the width of an interval around the total that holds the true one in 95 of 100
 *     cases; 0 where nothing was estimated from a sample
 * @param others the part of the total that belongs to groups which buckets have dropped: it cannot
 *     be said which they are. 0 where nothing was dropped, where finer rollups or rows tell, and
 *     with a filter: see {@code bound}
 * @param seconds length of the time covered, as far as there are rows: so that a rate can be told
 * @param estimated whether volumes were scaled by a sampling rate other than 1
 * @param source what the answer was made of, for people
 * @param from start of the time covered, inclusive; that of the oldest row where the question left
 *     it open
 * @param to its end, exclusive; just behind the newest row where the question left it open
 * @param fives 5 minutes that lie whole in the time covered, of which 95th percentiles are made; 0
 *     also where these were not asked for
 */
public record TopResult(
    List<String> columns,
    List<Row> rows,
    double total,
    double bound,
    double error,
    double others,
    double seconds,
    boolean estimated,
    String source,
    Instant from,
    Instant to,
    int fives) {
  /** Copies the lists. */
  public TopResult {
    columns = List.copyOf(columns);
    rows = List.copyOf(rows);
  }

  /**
   * One group.
   *
   * @param values as text, in the order of the columns; null for NULL
   * @param volume bytes or packets, times the sampling rate
   * @param flows number of rows
   * @param bound volume that may be missing at most: what the group had in buckets that dropped it;
   *     0 for an exact one
   * @param p95 95th percentile of the rates of 5 minutes, in bits or packets a second; 0 unless it
   *     was asked for and there are whole 5 minutes ({@link TopResult#fives})
   * @param error half the width of an interval around the volume that holds the true one in 95 of
   *     100 cases; 0 where nothing was estimated from a sample
   */
  public record Row(
      List<String> values, double volume, long flows, double bound, double p95, double error) {
    /** An exact group. */
    public Row(List<String> values, double volume, long flows) {
      this(values, volume, flows, 0, 0, 0);
    }
  }
}
