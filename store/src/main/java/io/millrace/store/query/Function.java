package io.millrace.store.query;

/** Functions that differ between databases. */
public enum Function {
  /** Microseconds since the epoch of a timestamp. */
  MICROS("epoch_us({0})", "CAST(round(to_unixtime({0}) * 1000000) AS BIGINT)"),
  /** The timestamp of microseconds since the epoch. */
  TIMESTAMP(
      "make_timestamp({0})",
      "CAST(from_unixtime_nanos({0} * 1000) AT TIME ZONE 'UTC' AS TIMESTAMP(6))"),
  /** Quotient of whole numbers, rounded towards zero. Trino rounds that of decimals to nearest. */
  QUOTIENT("({0} // {1})", "(({0} - {0} % {1}) / {1})"),
  /** The upper 64 of 128 bits, shifted by 2⁶³. */
  HIGH(
      "CAST((CAST(({0} >> 64) AS HUGEINT) - CAST(9223372036854775808 AS HUGEINT)) AS BIGINT)",
      "bitwise_xor(from_big_endian_64(substr(CAST({0} AS VARBINARY), 1, 8)), bitwise_not(9223372036854775807))"),
  /** The lower 64 of 128 bits, shifted by 2⁶³. */
  LOW(
      "CAST((CAST(({0} & 18446744073709551615::UHUGEINT) AS HUGEINT) - CAST(9223372036854775808 AS HUGEINT)) AS BIGINT)",
      "bitwise_xor(from_big_endian_64(substr(CAST({0} AS VARBINARY), 9, 8)), bitwise_not(9223372036854775807))"),
  /** Bitwise AND of two numbers. */
  COMMON_BITS("({0} & {1})", "bitwise_and({0}, {1})"),
  /** The nth largest value of a group, counted from 1; NULL if there are fewer. */
  NTH_LARGEST(
      "list_reverse_sort(list({0}))[{1}]",
      "element_at(array_sort(array_agg({0}), (a, b) -> IF(a > b, -1, IF(a < b, 1, 0))), {1})"),
  /** Whether a timestamp is neither infinity. */
  IS_FINITE("isfinite({0})", "true"),
  /** Case-insensitive LIKE. */
  ILIKE("{0} ILIKE {1}", "lower({0}) LIKE lower({1})"),
  /** 64-bit hash of a list of values in parentheses. */
  HASH("hash{0}", "from_big_endian_64(xxhash64(to_utf8(json_format(CAST(ROW{0} AS JSON)))))");

  private final String duckDb;
  private final String trino;

  Function(String duckDb, String trino) {
    this.duckDb = duckDb;
    this.trino = trino;
  }

  String template(Dialect dialect) {
    return dialect == Dialect.DUCKDB ? duckDb : trino;
  }
}
