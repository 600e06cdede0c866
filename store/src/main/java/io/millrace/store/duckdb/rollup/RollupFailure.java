package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.sql.MemoryShortage;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Steps of the rollups that failed, one after the other.
 *
 * @param since when the first of them did
 * @param times how many
 * @param last why the last of them did
 */
record RollupFailure(Instant since, int times, SQLException last) {
  static RollupFailure first(SQLException e) {
    return new RollupFailure(Instant.now(), 1, e);
  }

  RollupFailure again(SQLException e) {
    return new RollupFailure(since, times + 1, e);
  }

  String line(String table) {
    return "rollups of %s stand still since %s, tried %s and again every 30 s: %s; rows are stored, charts are as of then, and old rows stay; %s"
        .formatted(
            table,
            since.truncatedTo(ChronoUnit.SECONDS),
            times == 1 ? "once" : times + " times",
            DiskFailures.explain(last).replaceFirst(" LINE \\d+: .*", ""), // the statement
            advice());
  }

  private String advice() {
    if (MemoryShortage.isReasonOf(last)) {
      return "raise store.memory, or end questions that hold it";
    }
    return DiskFailures.isOfDisk(last)
        ? "see to the disk"
        : "start Millrace again; if that does not help, report it with what its log says";
  }
}
