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
enum ExactValues {
  TIMESTAMP {
    @Override
    Object read(ResultSet rows, int column) throws SQLException {
      return rows.getObject(column, LocalDateTime.class);
    }
  },
  TIMESTAMP_WITH_TIME_ZONE {
    @Override
    Object read(ResultSet rows, int column) throws SQLException {
      return rows.getObject(column, OffsetDateTime.class);
    }
  },
  DATE {
    @Override
    Object read(ResultSet rows, int column) throws SQLException {
      return rows.getObject(column, LocalDate.class);
    }
  },
  TIME {
    @Override
    Object read(ResultSet rows, int column) throws SQLException {
      return ((DuckDBResultSet) rows).getLocalTime(column);
    }
  },
  BLOB {
    @Override
    Object read(ResultSet rows, int column) throws SQLException {
      return rows.getBytes(column);
    }
  },
  LIST {
    @Override
    Object read(ResultSet rows, int column) throws SQLException {
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
  },
  TEXT {
    @Override
    Object read(ResultSet rows, int column) throws SQLException {
      return rows.getString(column);
    }
  };

  /** The value of the current row in a column, counted from 1; null for SQL's NULL. */
  abstract Object read(ResultSet rows, int column) throws SQLException;

  /** What reads values of the type of that name. */
  static ExactValues of(String sqlType) {
    return switch (sqlType) {
      case "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS" -> TIMESTAMP;
      case "TIMESTAMP WITH TIME ZONE" -> TIMESTAMP_WITH_TIME_ZONE;
      case "DATE" -> DATE;
      case "TIME" -> TIME;
      case "BLOB" -> BLOB;
      default -> sqlType.endsWith("]") ? LIST : TEXT;
    };
  }
}
