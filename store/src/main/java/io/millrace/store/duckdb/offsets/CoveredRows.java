package io.millrace.store.duckdb.offsets;

import io.millrace.wire.block.Frontier;

/** SQL conditions on the position of rows in the log. */
public final class CoveredRows {
  private CoveredRows() {}

  /**
   * A condition that selects the rows that a frontier covers.
   *
   * @param offset SQL expression of the offset
   */
  public static String covers(Frontier frontier, String offset) {
    if (frontier.next().isEmpty()) {
      return "false";
    }
    StringBuilder covered = new StringBuilder("CASE log_partition");
    frontier
        .next()
        .forEach(
            (partition, next) ->
                covered.append(" WHEN %d THEN %s < %d".formatted(partition, offset, next)));
    return covered.append(" ELSE false END").toString();
  }
}
