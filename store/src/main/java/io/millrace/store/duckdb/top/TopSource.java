package io.millrace.store.duckdb.top;

import io.millrace.store.FlowSchema;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.util.Optional;

/**
 * Source of queries for the largest groups, in total and over time.
 *
 * @param view view of a table of flows
 * @param schema schema of the table
 * @param accounting when a long flow's packets and bytes count
 * @param maxRows maximum rows to read for a time range whose buckets have dropped groups
 * @param snapshot snapshot whose rows are the only source; if empty, rows, rollups and the sample
 *     are
 */
public record TopSource(
    Queries queries,
    TopMemory memory,
    FlowView view,
    FlowSchema schema,
    Accounting accounting,
    long maxRows,
    Optional<SnapshotRows> snapshot) {

  /** A source that reads at most as many rows as take less than half a second. */
  public TopSource(
      Queries queries, TopMemory memory, FlowView view, FlowSchema schema, Accounting accounting) {
    this(queries, memory, view, schema, accounting, Choice.MAX_ROWS, Optional.empty());
  }

  /** This source for the rows of a snapshot, read by another engine. */
  public TopSource in(SnapshotRows rows) {
    return new TopSource(queries, memory, view, schema, accounting, maxRows, Optional.of(rows));
  }

  /** This source with another maximum of rows. */
  public TopSource reading(long rows) {
    return new TopSource(queries, memory, view, schema, accounting, rows, snapshot);
  }
}
