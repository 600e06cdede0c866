package io.millrace.store.duckdb.flows;

import io.millrace.store.StoredRetention;
import io.millrace.store.duckdb.offsets.RemovedRows;
import io.millrace.store.duckdb.offsets.UncoveredRows;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Deletes the rows of a table of flows that are too old.
 *
 * @param table of flows
 * @param rolled what may be removed: rows that are in all rollups
 */
record OldRows(String table, Frontier rolled) {

  RemovedRows remove(Statement statement, RemovedRows before, long beforeMicros)
      throws SQLException {
    if (!before.isWithin(rolled)) {
      return before; // rewound: what was removed is to be read again first
    }
    StoredRetention totals = before.totals();
    long known = totals.beforeMicros();
    long late = known == Long.MIN_VALUE ? 0 : delete(statement, known);
    long to = Math.max(known, beforeMicros);
    long others = to == known ? 0 : delete(statement, to);
    if (late + others == 0) {
      return before;
    }
    RemovedRows now =
        new RemovedRows(
            rolled,
            new StoredRetention(to, totals.rows() + late + others, totals.lateRows() + late));
    now.store(statement, table);
    return now;
  }

  private long delete(Statement statement, long beforeMicros) throws SQLException {
    long deleted = 0;
    for (FlowPart part : FlowPart.values()) {
      deleted +=
          statement.executeLargeUpdate(
              "DELETE FROM %s WHERE time < %s AND %s"
                  .formatted(
                      Catalog.raw(part.tableName(table)),
                      SqlTime.timestamp(beforeMicros),
                      UncoveredRows.covers(rolled, "log_offset")));
    }
    return deleted;
  }
}
