package io.millrace.store.query;

/** SQL of a database. */
public enum Dialect {
  /** DuckDB 2. */
  DUCKDB,
  /** Trino, which has no unsigned numbers: those of 64 bits and more are decimals. */
  TRINO;

  String type(SqlType type) {
    return this == DUCKDB ? type.name() : type.inTrino();
  }

  /** Whether a WITH says if its rows are kept or computed each time. */
  boolean isMaterializationChosen() {
    return this == DUCKDB;
  }
}
