package io.millrace.store.duckdb.top;

import io.millrace.store.FlowSchema;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.rollup.RollupConfig.Accounting;

/**
 * Source of queries for the largest groups, in total and over time.
 *
 * @param view of a table of flows
 * @param schema of the table
 * @param accounting when the counts of a long flow count
 * @param mostRows that are read for a window where buckets have dropped groups
 */
public record TopSource(
    Queries queries,
    TopMemory memory,
    FlowView view,
    FlowSchema schema,
    Accounting accounting,
    long mostRows) {

  /** The same, of which as many rows are read as takes less than half a second. */
  public TopSource(
      Queries queries, TopMemory memory, FlowView view, FlowSchema schema, Accounting accounting) {
    this(queries, memory, view, schema, accounting, Choice.MAX_ROWS);
  }

  /** The same, of which no more rows are read. */
  public TopSource reading(long rows) {
    return new TopSource(queries, memory, view, schema, accounting, rows);
  }
}
