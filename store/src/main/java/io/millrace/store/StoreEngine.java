package io.millrace.store;

/** What answers queries of users over tables of flows. */
public enum StoreEngine {
  /** The embedded database: rows at once, rollups, samples. */
  DUCKDB,
  /** Trino: rows of the newest snapshot. */
  TRINO
}
