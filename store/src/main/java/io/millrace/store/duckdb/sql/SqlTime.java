package io.millrace.store.duckdb.sql;

/** Times in SQL, given in microseconds since the epoch. */
public final class SqlTime {
  private SqlTime() {}

  /** The timestamp. */
  public static String timestamp(long micros) {
    return "make_timestamp(" + micros + "::BIGINT)";
  }

  /** The number itself, of which the least has no literal of its own. */
  public static String micros(long micros) {
    return micros == Long.MIN_VALUE ? "(-9223372036854775807 - 1)" : Long.toString(micros);
  }
}
