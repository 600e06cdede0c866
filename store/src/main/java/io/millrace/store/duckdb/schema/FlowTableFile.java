package io.millrace.store.duckdb.schema;

import io.millrace.store.FlowSchema;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.JoinedColumn;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBConnection;

/** Makes the stored tables of a table of flows, or brings those that are there up to a schema. */
public final class FlowTableFile {
  private FlowTableFile() {}

  /** Columns that are missing are added; what is there stays. Gives the layouts that result. */
  public static Map<FlowPart, FlowLayout> open(
      DuckDBConnection connection, String table, FlowSchema schema) throws SQLException {
    FlowSchema all = union(joined(table, stored(connection, table)), schema);
    Map<FlowPart, FlowLayout> layouts = new EnumMap<>(FlowPart.class);
    for (FlowPart part : FlowPart.values()) {
      layouts.put(part, open(connection, part.tableName(table), FlowLayout.of(part, all)));
    }
    SqlRows.execute(connection, rows(table, layouts));
    return layouts;
  }

  /** Makes the view over the parts of a table whose stored rows are views themselves. */
  public static Map<FlowPart, FlowLayout> view(
      DuckDBConnection connection, String table, FlowSchema schema) throws SQLException {
    Map<FlowPart, FlowLayout> layouts = new EnumMap<>(FlowPart.class);
    for (FlowPart part : FlowPart.values()) {
      layouts.put(part, FlowLayout.of(part, schema));
    }
    SqlRows.execute(connection, rows(table, layouts));
    return layouts;
  }

  private static FlowLayout open(DuckDBConnection connection, String table, FlowLayout wanted)
      throws SQLException {
    List<FlowLayout.Column> stored = stored(connection, table);
    if (stored.isEmpty()) {
      SqlRows.execute(
          connection,
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
        SqlRows.execute(
            connection, "ALTER TABLE " + Catalog.raw(table) + " ADD COLUMN " + column.definition());
        stored.add(column);
      } else if (!there.sqlType().equals(column.sqlType())) {
        throw new WrongSchemaException(
            "table %s: column %s is stored as %s, wanted is %s; name the new one differently"
                .formatted(table, column.name(), there.sqlType(), column.sqlType()));
      }
    }
    return new FlowLayout(wanted.schema(), List.copyOf(stored));
  }

  /** The view that puts the parts together; columns that one of them has not are null there. */
  private static String rows(String table, Map<FlowPart, FlowLayout> layouts) {
    FlowLayout whole = layouts.get(FlowPart.RECORDS);
    List<String> selects = new ArrayList<>();
    layouts.forEach(
        (part, layout) -> {
          List<String> columns = new ArrayList<>();
          for (FlowLayout.Column column : whole.columns()) {
            columns.add(
                layout.place(column.name()) >= 0
                    ? Catalog.quoted(column.name())
                    : "NULL::" + column.sqlType() + " AS " + Catalog.quoted(column.name()));
          }
          selects.add(
              "SELECT %s FROM %s"
                  .formatted(String.join(", ", columns), Catalog.raw(part.tableName(table))));
        });
    return "CREATE OR REPLACE VIEW %s AS %s"
        .formatted(Catalog.rows(table), String.join(" UNION ALL ", selects));
  }

  private static FlowSchema union(List<FlowSchema.AddedColumn> stored, FlowSchema wanted) {
    List<FlowSchema.AddedColumn> all = new ArrayList<>(stored);
    for (FlowSchema.AddedColumn column : wanted.joined()) {
      if (all.stream().noneMatch(there -> there.name().equals(column.name()))) {
        all.add(column);
      } else if (!all.contains(column)) {
        throw new WrongSchemaException(
            "column %s is stored as another kind than %s; name the new one differently"
                .formatted(column.name(), column.kind()));
      }
    }
    return new FlowSchema(all);
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
    Catalog.columns(connection, table)
        .forEach(
            (name, type) -> {
              int width =
                  switch (type) {
                    case "UTINYINT" -> 1;
                    case "USMALLINT" -> 2;
                    case "UINTEGER", "INTEGER" -> 4;
                    case "UHUGEINT" -> 16;
                    default -> 8;
                  };
              columns.add(new FlowLayout.Column(name, type, width));
            });
    return columns;
  }

  private static List<FlowSchema.AddedColumn> joined(String table, List<FlowLayout.Column> stored) {
    FlowLayout fixed = FlowLayout.of(FlowPart.RECORDS, new FlowSchema(List.of()));
    List<FlowSchema.AddedColumn> joined = new ArrayList<>();
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
      joined.add(new FlowSchema.AddedColumn(column.name(), kind));
    }
    return joined;
  }
}
