package io.millrace.store.duckdb.query;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.duckdb.DuckDBResultSet;

/** Reads values that JSON shows as text as their own Java types. */
@FunctionalInterface
interface ExactValues {
  /** Format of {@link Timestamp#toString}: at least one digit of a fraction. */
  DateTimeFormatter SECONDS =
      new DateTimeFormatterBuilder()
          .appendPattern("HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 1, 9, true)
          .toFormatter(Locale.ROOT);

  /** Types with nested types, except lists of scalars. */
  Pattern NESTED = Pattern.compile("^(STRUCT|MAP|UNION|TUPLE)\\(|\\]\\[\\d*\\]$");

  /** Value of the current row in a column, counted from 1; null for SQL's NULL. */
  Object read(ResultSet rows, int column) throws SQLException;

  /** Reader of the values of an SQL type. */
  static ExactValues of(String sqlType) {
    return switch (sqlType) {
      case "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS" ->
          (rows, column) -> rows.getObject(column, LocalDateTime.class);
      case "TIMESTAMP WITH TIME ZONE" -> ExactValues::instant;
      case "DATE" -> (rows, column) -> rows.getObject(column, LocalDate.class);
      case "TIME" -> (rows, column) -> ((DuckDBResultSet) rows).getLocalTime(column);
      case "BLOB" -> ResultSet::getBytes;
      default -> isList(sqlType) ? ExactValues::list : ResultSet::getString;
    };
  }

  /** Whether the type is a list of scalars. */
  static boolean isList(String sqlType) {
    return sqlType.endsWith("]") && !isNested(sqlType);
  }

  /** Whether results show values of the type as text, since Arrow has no equivalent. */
  static boolean isNested(String sqlType) {
    return NESTED.matcher(sqlType).find();
  }

  /**
   * Text of a value, independent of the JVM's time zone. The driver's own text of a timestamp
   * depends on that zone, and is an hour late when its clocks skip one.
   */
  static String text(String sqlType, ResultSet rows, int column) throws SQLException {
    if (sqlType.equals("TIMESTAMP WITH TIME ZONE")) {
      OffsetDateTime instant = instant(rows, column);
      return instant == null ? null : instant.toString();
    }
    if (!sqlType.startsWith("TIMESTAMP") || sqlType.endsWith("]")) {
      return rows.getString(column);
    }
    LocalDateTime moment = rows.getObject(column, LocalDateTime.class);
    if (moment == null) {
      return null;
    }
    return moment.toLocalDate() + " " + SECONDS.format(moment);
  }

  private static OffsetDateTime instant(ResultSet rows, int column) throws SQLException {
    OffsetDateTime moment = rows.getObject(column, OffsetDateTime.class);
    return moment == null ? null : moment.withOffsetSameInstant(ZoneOffset.UTC);
  }

  private static Object list(ResultSet rows, int column) throws SQLException {
    Array array = rows.getArray(column);
    if (array == null) {
      return null;
    }
    List<Object> elements = new ArrayList<>();
    for (Object element : (Object[]) array.getArray()) {
      elements.add(element instanceof Timestamp moment ? moment.toLocalDateTime() : element);
    }
    return elements;
  }
}
