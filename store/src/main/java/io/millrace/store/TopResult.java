package io.millrace.store;

import java.time.Instant;
import java.util.List;

/**
 * The largest groups, largest first.
 *
 * @param columns names of the group-by columns
 * @param rows the groups
 * @param total volume of all groups, including those not listed
 * @param bound with a filter, upper bound of the volume missing in the total, of groups dropped
 *     from buckets that may match; 0 without a filter, or if none were dropped
 * @param error half-width of the 95% confidence interval of the total; 0 without sampling
 * @param others part of the total that belongs to unidentified groups, dropped from buckets; 0 if
 *     none were dropped, if shorter buckets or rows identify them, and with a filter: see {@code
 *     bound}
 * @param seconds length of the covered time with rows, for rates
 * @param estimated whether volumes were scaled by a sampling rate other than 1
 * @param source data source, for users
 * @param from start of the covered time, inclusive; that of the oldest row if the query left it
 *     open
 * @param to its end, exclusive; just after the newest row if the query left it open
 * @param fives 5-minute intervals that lie entirely in the covered time, for 95th percentiles; 0 if
 *     not requested
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
   * A group.
   *
   * @param values as text, in the order of the columns; null for NULL
   * @param volume bytes or packets, times the sampling rate
   * @param flows number of rows
   * @param bound upper bound of the missing volume: that in buckets which dropped the group; 0 if
   *     exact
   * @param p95 95th percentile of 5-minute rates, in bits or packets a second; 0 unless requested
   *     and there are whole intervals ({@link TopResult#fives})
   * @param error half-width of the 95% confidence interval of the volume; 0 without sampling
   */
  public record Row(
      List<String> values, double volume, long flows, double bound, double p95, double error) {
    /** A group with an exact volume. */
    public Row(List<String> values, double volume, long flows) {
      this(values, volume, flows, 0, 0, 0);
    }
  }
}
