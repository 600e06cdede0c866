package io.millrace.cli;

import java.util.Set;

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

  static boolean isNumber(String type) {
    return NUMBERS.contains(type) || type.startsWith("DECIMAL");
  }
}
