package io.millrace.store.duckdb.query;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBResultSet;

/** Reads values for which JSON has texts only as what they are. */
@FunctionalInterface
interface ExactValues {
  /** The value of the current row in a column, counted from 1; null for SQL's NULL. */
  Object read(ResultSet rows, int column) throws SQLException;

  /** What reads values of the type of that name. */
  static ExactValues of(String sqlType) {
    return switch (sqlType) {
      case "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS" ->
          (rows, column) -> rows.getObject(column, LocalDateTime.class);
      case "TIMESTAMP WITH TIME ZONE" ->
          (rows, column) -> rows.getObject(column, OffsetDateTime.class);
      case "DATE" -> (rows, column) -> rows.getObject(column, LocalDate.class);
      case "TIME" -> (rows, column) -> ((DuckDBResultSet) rows).getLocalTime(column);
      case "BLOB" -> ResultSet::getBytes;
      default -> sqlType.endsWith("]") ? ExactValues::list : ResultSet::getString;
    };
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
