package io.millrace.store.duckdb;

import io.millrace.store.FlowSchema;
import io.millrace.store.WrongSchemaException;
import io.millrace.wire.block.JoinedColumn;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBConnection;

/** Makes the stored table, or brings the one that is there up to a schema. */
final class FlowTableFile {
  private FlowTableFile() {}

  /** Columns that are missing are added; what is there stays. Gives the layout that results. */
  static FlowLayout open(DuckDBConnection connection, String table, FlowSchema schema)
      throws SQLException {
    FlowLayout wanted = FlowLayout.of(schema);
    List<FlowLayout.Column> stored = stored(connection, table);
    try (Statement statement = connection.createStatement()) {
      if (stored.isEmpty()) {
        statement.execute(
            "CREATE TABLE %s (%s)"
                .formatted(
                    Catalog.raw(table),
                    String.join(
                        ", ",
                        wanted.columns().stream().map(FlowLayout.Column::definition).toList())));
        return wanted;
      }
      for (FlowLayout.Column column : wanted.columns()) {
        FlowLayout.Column there = find(stored, column.name());
        if (there == null) {
          statement.execute(
              "ALTER TABLE " + Catalog.raw(table) + " ADD COLUMN " + column.definition());
          stored.add(column);
        } else if (!there.sqlType().equals(column.sqlType())) {
          throw new WrongSchemaException(
              "table %s: column %s is stored as %s, wanted is %s; name the new one differently"
                  .formatted(table, column.name(), there.sqlType(), column.sqlType()));
        }
      }
    }
    return new FlowLayout(new FlowSchema(joined(table, stored)), List.copyOf(stored));
  }

  private static FlowLayout.Column find(List<FlowLayout.Column> columns, String name) {
    for (FlowLayout.Column column : columns) {
      if (column.name().equals(name)) {
        return column;
      }
    }
    return null;
  }

  private static List<FlowLayout.Column> stored(DuckDBConnection connection, String table)
      throws SQLException {
    List<FlowLayout.Column> columns = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name ="
                    + " 'millrace' AND schema_name = 'raw' AND table_name = '"
                    + table
                    + "' ORDER BY column_index")) {
      while (rows.next()) {
        String type = rows.getString(2);
        int width =
            switch (type) {
              case "UTINYINT" -> 1;
              case "USMALLINT" -> 2;
              case "UINTEGER", "INTEGER" -> 4;
              case "UHUGEINT" -> 16;
              default -> 8;
            };
        columns.add(new FlowLayout.Column(rows.getString(1), type, width));
      }
    }
    return columns;
  }

  private static List<FlowSchema.Joined> joined(String table, List<FlowLayout.Column> stored) {
    FlowLayout fixed = FlowLayout.of(new FlowSchema(List.of()));
    List<FlowSchema.Joined> joined = new ArrayList<>();
    for (FlowLayout.Column column : stored) {
      if (fixed.place(column.name()) >= 0) {
        continue;
      }
      JoinedColumn.Kind kind = FlowLayout.joinedKind(column.sqlType());
      if (kind == null) {
        throw new WrongSchemaException(
            "table %s: column %s has type %s, which no data set gives"
                .formatted(table, column.name(), column.sqlType()));
      }
      joined.add(new FlowSchema.Joined(column.name(), kind));
    }
    return joined;
  }
}
