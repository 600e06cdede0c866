package io.millrace.store.iceberg;

import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Schema;

/**
 * SQL of the views of a table's rows, which are named by {@link FlowPart#tableName} and have the
 * column types of {@link FlowLayout}. {@link IcebergFlowTable#show} determines for each connection
 * which rows they return.
 *
 * @param function the table function that reads buffered rows
 */
record FlowViews(String table, FlowColumns columns, Schema schema, String function) {

  /**
   * Statements that create the views.
   *
   * @param empty path of a Parquet file without rows, created if missing: a view must read at least
   *     one file
   */
  List<String> statements(Path empty) {
    List<String> statements = new ArrayList<>();
    statements.add("CREATE SCHEMA IF NOT EXISTS " + Catalog.DATABASE + "." + Catalog.RAW_SCHEMA);
    if (!Files.exists(empty)) {
      statements.add(
          "COPY (SELECT %s WHERE false) TO %s (FORMAT parquet, FIELD_IDS {%s})"
              .formatted(
                  columns.list(
                      column -> "NULL::%s AS %s".formatted(column.type().sql(), column.quoted())),
                  SqlLiteral.of(empty.toString()),
                  columns.list(column -> column.quoted() + ": " + id(column))));
    }
    for (FlowPart part : FlowPart.values()) {
      statements.addAll(views(part));
    }
    return statements;
  }

  private int id(FlowColumns.Column column) {
    return schema.findField(column.name()).fieldId();
  }

  private List<String> views(FlowPart part) {
    FlowLayout layout = FlowLayout.of(part, columns.schema());
    List<String> selected = new ArrayList<>();
    for (FlowLayout.Column column : layout.columns()) {
      String name = Catalog.quoted(column.name());
      selected.add("%s::%s AS %1$s".formatted(name, column.sqlType()));
      if (column.isAddress()) {
        selected.add(name + " AS " + Catalog.quoted(FlowLayout.stored(column.name())));
      }
    }
    String list = String.join(", ", selected);
    String files =
        "SELECT %s FROM read_parquet(getvariable('%s'), schema = MAP {%s})"
            .formatted(list, "%s", columns.parquetSchema(schema));
    String stored = part.tableName(table);
    return List.of(
        "CREATE OR REPLACE VIEW %s AS %s UNION ALL SELECT %s FROM %s(getvariable('%s'))"
            .formatted(
                Catalog.raw(stored),
                files.formatted(TableView.filesVariable(table, part)),
                list,
                function,
                TableView.tailVariable(table, part)),
        "CREATE OR REPLACE VIEW %s AS %s"
            .formatted(
                Catalog.raw(Catalog.committed(stored)),
                files.formatted(TableView.committedVariable(table, part))));
  }
}
