package io.millrace.store.duckdb;

import io.millrace.store.WrongSchemaException;
import io.millrace.wire.block.TableSchema;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBConnection;

/**
 * How a table of results is stored: a column for each of the schema, in the order in which they
 * came to be, and {@link #CHECKPOINT}; and the view that shows all but that one.
 */
final class ResultLayout {
  /** Id of the last checkpoint in front of the row. No column of a schema can be called so. */
  static final String CHECKPOINT = "__checkpoint";

  private static final String SUFFIX = "__results";

  private ResultLayout() {}

  /** Name of the stored table, in the schema {@link Catalog#RAW_SCHEMA}. */
  static String storedName(String table) {
    return table + SUFFIX;
  }

  /** Names of the tables of results in the file. */
  static List<String> tables(DuckDBConnection connection) throws SQLException {
    return SqlRows.strings(
        connection,
        "SELECT left(table_name, -"
            + SUFFIX.length()
            + ") FROM duckdb_tables() WHERE database_name = 'millrace' AND schema_name = 'raw'"
            + " AND suffix(table_name, '"
            + SUFFIX
            + "') ORDER BY 1");
  }

  /**
   * Makes the table, or adds the columns that it has not yet; columns that the schema no longer
   * names stay, and are NULL in new rows.
   *
   * @return names of the stored columns in their order
   */
  static List<String> open(DuckDBConnection connection, String table, TableSchema schema)
      throws SQLException {
    Map<String, String> stored = Catalog.columns(connection, storedName(table));
    String raw = Catalog.raw(storedName(table));
    if (stored.isEmpty()) {
      execute(connection, "CREATE TABLE " + raw + " (" + CHECKPOINT + " BIGINT)");
      stored.put(CHECKPOINT, "BIGINT");
    }
    for (TableSchema.Column column : schema.columns()) {
      String wanted = sqlType(column.type());
      String there = stored.putIfAbsent(column.name(), wanted);
      if (there == null) {
        execute(
            connection,
            "ALTER TABLE " + raw + " ADD COLUMN " + Catalog.quoted(column.name()) + " " + wanted);
      } else if (!there.equals(wanted)) {
        throw new WrongSchemaException(
            "table %s: column %s is stored as %s, wanted is %s; name the new one differently"
                .formatted(table, column.name(), there, wanted));
      }
    }
    execute(connection, view(table, stored));
    return List.copyOf(stored.keySet());
  }

  private static String view(String table, Map<String, String> stored) {
    List<String> columns = new ArrayList<>();
    stored.forEach(
        (name, type) -> {
          String quoted = Catalog.quoted(name);
          if (type.equals(sqlType(TableSchema.Type.ADDRESS))) {
            columns.add(Catalog.main("ip_text") + "(" + quoted + ") AS " + quoted);
          } else if (!name.equals(CHECKPOINT)) {
            columns.add(quoted);
          }
        });
    return "CREATE OR REPLACE VIEW "
        + Catalog.main(table)
        + " AS SELECT "
        + String.join(", ", columns)
        + " FROM "
        + Catalog.raw(storedName(table));
  }

  private static String sqlType(TableSchema.Type type) {
    return switch (type) {
      case TIME -> "TIMESTAMP";
      case LONG -> "BIGINT";
      case DOUBLE -> "DOUBLE";
      case ADDRESS -> "UHUGEINT";
      case TEXT -> "VARCHAR";
    };
  }

  private static void execute(DuckDBConnection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
