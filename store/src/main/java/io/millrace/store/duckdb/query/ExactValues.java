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

/** Reads values for which JSON has texts only as what they are. */
@FunctionalInterface
interface ExactValues {
  /** As {@link Timestamp#toString} has it: one digit of a fraction at least. */
  DateTimeFormatter SECONDS =
      new DateTimeFormatterBuilder()
          .appendPattern("HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 1, 9, true)
          .toFormatter(Locale.ROOT);

  /** Of types that have others within, except lists of scalars. */
  Pattern NESTED = Pattern.compile("^(STRUCT|MAP|UNION|TUPLE)\\(|\\]\\[\\d*\\]$");

  /** The value of the current row in a column, counted from 1; null for SQL's NULL. */
  Object read(ResultSet rows, int column) throws SQLException;

  /** What reads values of the type of that name. */
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

  /** Whether it is a type of lists of scalars. */
  static boolean isList(String sqlType) {
    return sqlType.endsWith("]") && !isNested(sqlType);
  }

  /** Whether results show values of the type as texts, since Arrow has nothing like them. */
  static boolean isNested(String sqlType) {
    return NESTED.matcher(sqlType).find();
  }

  /**
   * The text of a value, the same in each time zone of the JVM. The driver's own text of a
   * timestamp goes by that zone, and is an hour late where its clocks skip one.
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
