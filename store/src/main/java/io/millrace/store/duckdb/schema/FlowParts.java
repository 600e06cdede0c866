package io.millrace.store.duckdb.schema;

import io.millrace.store.FlowSchema;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Both parts of a table of flows. */
public final class FlowParts {
  private FlowParts() {}

  /** Layout of each part. */
  public static Map<FlowPart, FlowLayout> layouts(FlowSchema schema) {
    Map<FlowPart, FlowLayout> layouts = new EnumMap<>(FlowPart.class);
    for (FlowPart part : FlowPart.values()) {
      layouts.put(part, FlowLayout.of(part, schema));
    }
    return layouts;
  }

  /**
   * Statements that create the view of all rows, {@link Catalog#rows}, and that of committed rows;
   * columns that a part lacks are NULL.
   */
  public static List<String> createViews(String table, Map<FlowPart, FlowLayout> layouts) {
    return List.of(
        create(Catalog.rowsName(table), table, layouts, UnaryOperator.identity()),
        create(Catalog.rowsName(table), table, layouts, Catalog::committed));
  }

  private static String create(
      String view, String table, Map<FlowPart, FlowLayout> layouts, UnaryOperator<String> which) {
    FlowLayout whole = layouts.get(FlowPart.RECORDS);
    List<String> selects = new ArrayList<>();
    layouts.forEach(
        (part, layout) -> {
          List<String> columns = new ArrayList<>();
          for (FlowLayout.Column column : whole.columns()) {
            boolean isThere = layout.place(column.name()) >= 0;
            columns.add(column(column.name(), column.sqlType(), isThere));
            if (column.isAddress()) {
              columns.add(column(FlowLayout.stored(column.name()), "UUID", isThere));
            }
          }
          selects.add(
              "SELECT %s FROM %s"
                  .formatted(
                      String.join(", ", columns), Catalog.raw(which.apply(part.tableName(table)))));
        });
    return "CREATE OR REPLACE VIEW %s AS %s"
        .formatted(Catalog.raw(which.apply(view)), String.join(" UNION ALL ", selects));
  }

  private static String column(String name, String type, boolean isThere) {
    String quoted = Catalog.quoted(name);
    return isThere ? quoted : "NULL::" + type + " AS " + quoted;
  }
}
