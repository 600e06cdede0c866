package io.millrace.store.duckdb;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import org.duckdb.DuckDBConnection;

/** Names inside the DuckDB file. */
final class Catalog {
  /** The file, as attached. */
  static final String DATABASE = "millrace";

  /** Schema of what is stored. */
  static final String RAW_SCHEMA = "raw";

  private Catalog() {}

  /** A name as SQL wants it where it may be a keyword. */
  static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** The view over all rows of a table of flows as they are stored, in full. */
  static String rows(String table) {
    return raw(table + "__rows");
  }

  /** A stored table, in full. */
  static String raw(String table) {
    return DATABASE + "." + RAW_SCHEMA + "." + quoted(table);
  }

  /** A view or macro that people use, in full. */
  static String main(String name) {
    return DATABASE + ".main." + quoted(name);
  }

  /** Columns of a stored table and their types, in their order; empty if there is no such table. */
  static Map<String, String> columns(DuckDBConnection connection, String table)
      throws SQLException {
    Map<String, String> columns = new LinkedHashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = '%s' AND schema_name = '%s' AND table_name = '%s' ORDER BY column_index"
                    .formatted(DATABASE, RAW_SCHEMA, table))) {
      while (rows.next()) {
        columns.put(rows.getString(1), rows.getString(2));
      }
    }
    return columns;
  }
}
