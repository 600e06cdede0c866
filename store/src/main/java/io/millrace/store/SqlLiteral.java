package io.millrace.store;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.HexFormat;
import java.util.Locale;

/** Formatter of SQL literals, to replace parameters in a query. */
public final class SqlLiteral {
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .appendPattern("HH:mm:ss")
          .appendFraction(ChronoField.MICRO_OF_SECOND, 0, 6, true)
          .toFormatter(Locale.ROOT);

  private SqlLiteral() {}

  /**
   * Formats a literal. Negative numbers are parenthesised, so that a preceding sign does not merge
   * with them.
   *
   * @param value null, a {@link Boolean}, a {@link Number}, a {@link CharSequence}, a {@code
   *     byte[]}, or of {@code java.time} a local date, time (to the microsecond) or both
   * @throws IllegalArgumentException if it is of another type
   */
  public static String of(Object value) {
    if (value == null) {
      return "NULL";
    }
    if (value instanceof Boolean truth) {
      return truth ? "TRUE" : "FALSE";
    }
    if (value instanceof Double || value instanceof Float) {
      return "('" + value + "'::DOUBLE)";
    }
    if (value instanceof Number) {
      String number = value instanceof BigDecimal exact ? exact.toPlainString() : value.toString();
      return number.startsWith("-") ? "(" + number + ")" : number;
    }
    if (value instanceof CharSequence) {
      return "'" + value.toString().replace("'", "''") + "'";
    }
    if (value instanceof byte[] bytes) {
      return "from_hex('" + HexFormat.of().formatHex(bytes) + "')";
    }
    if (value instanceof LocalDateTime moment) {
      return "TIMESTAMP '" + moment.toLocalDate() + " " + TIME.format(moment) + "'";
    }
    if (value instanceof LocalDate day) {
      return "DATE '" + day + "'";
    }
    if (value instanceof LocalTime time) {
      return "TIME '" + TIME.format(time) + "'";
    }
    throw new IllegalArgumentException(
        value.getClass().getSimpleName() + " cannot be the value of a parameter");
  }
}
