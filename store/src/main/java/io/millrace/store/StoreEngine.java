package io.millrace.store;

/** Engine that runs user queries over tables of flows. */
public enum StoreEngine {
  /** The embedded database, with all rows, rollups and samples. */
  DUCKDB,
  /** Trino, with rows of the newest snapshot. */
  TRINO
}
