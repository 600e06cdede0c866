package io.millrace.store.query;

/** Types of values, by DuckDB's names. */
public enum SqlType {
  UTINYINT("SMALLINT"),
  USMALLINT("INTEGER"),
  INTEGER("INTEGER"),
  UINTEGER("BIGINT"),
  BIGINT("BIGINT"),
  UBIGINT("DECIMAL(20, 0)"),
  HUGEINT("DECIMAL(38, 0)"),
  /** Type of addresses. */
  UHUGEINT("UUID"),
  DOUBLE("DOUBLE"),
  VARCHAR("VARCHAR"),
  TIMESTAMP("TIMESTAMP(6)");

  private final String trino;

  SqlType(String trino) {
    this.trino = trino;
  }

  String inTrino() {
    return trino;
  }
}
