package io.millrace.store.query;

/** SQL of a database. */
public enum Dialect {
  /** DuckDB 2. */
  DUCKDB,
  /**
   * Trino over Iceberg tables. It has no unsigned numbers: those of 64 bits are decimals, those of
   * 128 bits, which only addresses have, UUIDs.
   */
  TRINO;

  String type(SqlType type) {
    return this == DUCKDB ? type.name() : type.inTrino();
  }

  /** Whether a WITH says if its rows are kept or computed each time. */
  boolean isMaterializationChosen() {
    return this == DUCKDB;
  }
}
