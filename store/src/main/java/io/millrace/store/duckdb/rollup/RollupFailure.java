package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.sql.MemoryShortage;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Consecutive failed steps of the rollups of a table.
 *
 * @param since time of the first failure
 * @param times number of failures
 * @param last cause of the newest failure
 */
record RollupFailure(Instant since, int times, SQLException last) {
  static RollupFailure first(SQLException e) {
    return new RollupFailure(Instant.now(), 1, e);
  }

  RollupFailure again(SQLException e) {
    return new RollupFailure(since, times + 1, e);
  }

  String line(String table) {
    return "rollups of %s have failed since %s (%s, retrying every 30 s): %s; rows are still stored, but charts are not updated and retention is paused; %s"
        .formatted(
            table,
            since.truncatedTo(ChronoUnit.SECONDS),
            times == 1 ? "1 attempt" : times + " attempts",
            DiskFailures.explain(last).replaceFirst(" LINE \\d+: .*", ""), // the statement
            advice());
  }

  private String advice() {
    if (MemoryShortage.isCauseOf(last)) {
      return "raise store.memory, or cancel queries that use it";
    }
    return DiskFailures.isDiskFailure(last)
        ? "check the disk"
        : "restart Millrace; if it still fails, report a bug with the log";
  }
}
