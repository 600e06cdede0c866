package io.millrace.server.flight;

import java.util.Arrays;
import java.util.List;
import org.apache.arrow.flight.sql.impl.FlightSql.Nullable;
import org.apache.arrow.flight.sql.impl.FlightSql.Searchable;
import org.apache.arrow.flight.sql.impl.FlightSql.XdbcDataType;

final class TypeList {
  private static final String QUOTE = "'";

  private TypeList() {}

  static List<List<Object>> rows(Integer number) {
    return List.of(
            row("BOOLEAN", XdbcDataType.XDBC_BIT, 1, null, null),
            number("BIGINT", XdbcDataType.XDBC_BIGINT, 19, false),
            number("HUGEINT", XdbcDataType.XDBC_BIGINT, 19, false),
            number("UBIGINT", XdbcDataType.XDBC_BIGINT, 20, true),
            row("BLOB", XdbcDataType.XDBC_VARBINARY, null, QUOTE, QUOTE),
            number("INTEGER", XdbcDataType.XDBC_INTEGER, 10, false),
            number("DOUBLE", XdbcDataType.XDBC_DOUBLE, 15, false),
            row("VARCHAR", XdbcDataType.XDBC_VARCHAR, null, QUOTE, QUOTE),
            row("DATE", XdbcDataType.XDBC_DATE, 10, "DATE '", QUOTE),
            row("TIME", XdbcDataType.XDBC_TIME, 15, "TIME '", QUOTE),
            row("TIMESTAMP", XdbcDataType.XDBC_TIMESTAMP, 26, "TIMESTAMP '", QUOTE))
        .stream()
        .filter(row -> number == null || number.equals(row.get(1)))
        .toList();
  }

  private static List<Object> number(String name, XdbcDataType type, int digits, boolean unsigned) {
    List<Object> row = row(name, type, digits, null, null);
    row.set(9, unsigned);
    row.set(17, 10);
    return row;
  }

  private static List<Object> row(
      String name, XdbcDataType type, Integer size, String prefix, String suffix) {
    return Arrays.asList(
        name,
        type.getNumber(),
        size,
        prefix,
        suffix,
        null, // creation parameters
        Nullable.NULLABILITY_NULLABLE_VALUE,
        type == XdbcDataType.XDBC_VARCHAR,
        Searchable.SEARCHABLE_FULL_VALUE,
        null, // unsigned
        false, // fixed precision scale
        false, // auto-increment
        name,
        null, // minimum and maximum scale
        null,
        type.getNumber(),
        null, // datetime subtype
        null, // radix
        null); // interval
  }
}
