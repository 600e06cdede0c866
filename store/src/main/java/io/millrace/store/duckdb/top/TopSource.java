package io.millrace.store.duckdb.top;

import io.millrace.store.FlowSchema;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.util.Optional;

/**
 * Source of queries for the largest groups, in total and over time.
 *
 * @param view of a table of flows
 * @param schema of the table
 * @param accounting when the counts of a long flow count
 * @param mostRows that are read for a window where buckets have dropped groups
 * @param snapshot whose rows answer alone; empty if all rows, rollups and the sample do
 */
public record TopSource(
    Queries queries,
    TopMemory memory,
    FlowView view,
    FlowSchema schema,
    Accounting accounting,
    long mostRows,
    Optional<SnapshotRows> snapshot) {

  /** The same, of which as many rows are read as takes less than half a second. */
  public TopSource(
      Queries queries, TopMemory memory, FlowView view, FlowSchema schema, Accounting accounting) {
    this(queries, memory, view, schema, accounting, Choice.MAX_ROWS, Optional.empty());
  }

  /** The same, of which another engine reads the rows of a snapshot. */
  public TopSource in(SnapshotRows rows) {
    return new TopSource(queries, memory, view, schema, accounting, mostRows, Optional.of(rows));
  }

  /** The same, of which no more rows are read. */
  public TopSource reading(long rows) {
    return new TopSource(queries, memory, view, schema, accounting, rows, snapshot);
  }
}
