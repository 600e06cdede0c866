package io.millrace.store.duckdb.sql;

/** SQL of times in microseconds since the epoch. */
public final class SqlTime {
  private SqlTime() {}

  public static String timestamp(long micros) {
    return "make_timestamp(" + micros + "::BIGINT)";
  }

  /** The number itself; the least one has no literal of its own. */
  public static String micros(long micros) {
    return micros == Long.MIN_VALUE ? "(-9223372036854775807 - 1)" : Long.toString(micros);
  }
}
