package io.millrace.store;

import java.time.Duration;

/** An engine that reads snapshots of tables of flows, besides the store itself. Thread-safe. */
public interface RowEngine {
  /** Name for people. */
  String name();

  /**
   * A table as of a snapshot, in the engine's SQL.
   *
   * @param snapshot id in Iceberg's metadata
   */
  String table(String name, long snapshot);

  /** The table of texts and their ids, in the engine's SQL. */
  String names();

  /**
   * Runs a query in the engine's SQL.
   *
   * @throws QueryException if it fails, or the engine does not respond
   */
  QueryResult run(String sql, Duration limit, Cancellation cancellation);
}
