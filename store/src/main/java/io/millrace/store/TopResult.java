package io.millrace.store;

import java.util.List;

/**
 * The largest groups, largest first.
 *
 * @param columns names of the columns grouped by
 * @param rows the groups
 * @param total volume of all groups, also of those not listed
 * @param seconds time between the first and the last row asked for, so that a rate can be told
 * @param estimated whether volumes were scaled by a sampling rate other than 1
 */
public record TopResult(
    List<String> columns, List<Row> rows, double total, double seconds, boolean estimated) {
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
   */
  public record Row(List<String> values, double volume, long flows) {}
}
