package io.millrace.cli;

import java.util.Set;

/** What the names of SQL types mean for printing. */
final class SqlTypes {
  private static final Set<String> NUMBERS =
      Set.of(
          "TINYINT",
          "SMALLINT",
          "INTEGER",
          "BIGINT",
          "HUGEINT",
          "UTINYINT",
          "USMALLINT",
          "UINTEGER",
          "UBIGINT",
          "UHUGEINT",
          "FLOAT",
          "DOUBLE");

  private SqlTypes() {}

  /** Whether values of the type are numbers. */
  static boolean isNumber(String type) {
    return NUMBERS.contains(type) || type.startsWith("DECIMAL");
  }
}
