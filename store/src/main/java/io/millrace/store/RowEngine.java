package io.millrace.store;

import java.time.Duration;

/** A second engine, which reads snapshots of tables of flows. Thread-safe. */
public interface RowEngine {
  /** Name for users. */
  String name();

  /**
   * SQL of a table as of a snapshot, for this engine.
   *
   * @param snapshot id in Iceberg's metadata
   */
  String table(String name, long snapshot);

  /** SQL of the table of texts and their ids, for this engine. */
  String names();

  /**
   * Runs a query in this engine's SQL.
   *
   * @throws QueryException if it fails, or the engine does not respond
   */
  QueryResult run(String sql, Duration limit, Cancellation cancellation);
}
