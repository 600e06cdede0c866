package io.millrace.store.duckdb.results;

import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.TableSchema;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBConnection;

/**
 * Layout of a table of results: the columns of its schema, in the order in which they were added,
 * and {@link Catalog#CHECKPOINT}; and the view, which hides the latter.
 */
public final class ResultLayout {
  private ResultLayout() {}

  /** Name of the stored table, in the schema {@link Catalog#RAW_SCHEMA}. */
  public static String storedName(String table) {
    return Catalog.resultsName(table);
  }

  /** Names of the tables of results in the database. */
  public static List<String> tables(DuckDBConnection connection) throws SQLException {
    return SqlRows.strings(
        connection,
        "SELECT left(table_name, -%s) FROM duckdb_tables() WHERE database_name = 'millrace' AND schema_name = 'raw' AND suffix(table_name, '%s') ORDER BY 1"
            .formatted(Catalog.RESULTS.length(), Catalog.RESULTS));
  }

  /**
   * Creates the table, or adds its missing columns. Columns that the schema no longer has stay, and
   * are NULL in new rows.
   *
   * @return names of the stored columns, in order
   */
  public static List<String> open(DuckDBConnection connection, String table, TableSchema schema)
      throws SQLException {
    Map<String, String> stored = Catalog.columns(connection, storedName(table));
    String raw = Catalog.raw(storedName(table));
    if (stored.isEmpty()) {
      stored.put(Catalog.CHECKPOINT, "BIGINT");
      schema.columns().forEach(column -> stored.put(column.name(), sqlType(column.type())));
      List<String> columns = new ArrayList<>();
      stored.forEach((name, type) -> columns.add(Catalog.quoted(name) + " " + type));
      SqlRows.execute(
          connection, "CREATE TABLE %s (%s)".formatted(raw, String.join(", ", columns)));
    }
    for (TableSchema.Column column : schema.columns()) {
      String wanted = sqlType(column.type());
      String there = stored.putIfAbsent(column.name(), wanted);
      if (there == null) {
        SqlRows.execute(
            connection,
            "ALTER TABLE " + raw + " ADD COLUMN " + Catalog.quoted(column.name()) + " " + wanted);
      } else if (!there.equals(wanted)) {
        throw new WrongSchemaException(
            "table %s: column %s is stored as %s, expected %s; rename the new column"
                .formatted(table, column.name(), there, wanted));
      }
    }
    SqlRows.execute(connection, view(table, stored));
    return List.copyOf(stored.keySet());
  }

  private static String view(String table, Map<String, String> stored) {
    List<String> columns = new ArrayList<>();
    stored.forEach(
        (name, type) -> {
          String quoted = Catalog.quoted(name);
          if (type.equals(sqlType(TableSchema.Type.ADDRESS))) {
            columns.add(Catalog.main("ip_text") + "(" + quoted + ") AS " + quoted);
          } else if (!name.equals(Catalog.CHECKPOINT)) {
            columns.add(quoted);
          }
        });
    return "CREATE OR REPLACE VIEW %s AS SELECT %s FROM %s"
        .formatted(Catalog.main(table), String.join(", ", columns), Catalog.raw(storedName(table)));
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
}
