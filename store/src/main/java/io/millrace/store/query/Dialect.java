package io.millrace.store.query;

/** SQL dialect of a database. */
public enum Dialect {
  /** DuckDB 2. */
  DUCKDB,
  /**
   * Trino over Iceberg tables. It has no unsigned types: 64-bit numbers are decimals; 128-bit
   * numbers, which only addresses have, are UUIDs.
   */
  TRINO;

  String type(SqlType type) {
    return this == DUCKDB ? type.name() : type.inTrino();
  }

  /** Whether WITH states if its rows are materialized. */
  boolean isMaterializationChosen() {
    return this == DUCKDB;
  }
}
