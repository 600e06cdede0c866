package io.millrace.store.duckdb.schema;

import io.millrace.store.FlowSchema;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The parts of a table of flows together. */
public final class FlowParts {
  private FlowParts() {}

  /** The layout of each part. */
  public static Map<FlowPart, FlowLayout> layouts(FlowSchema schema) {
    Map<FlowPart, FlowLayout> layouts = new EnumMap<>(FlowPart.class);
    for (FlowPart part : FlowPart.values()) {
      layouts.put(part, FlowLayout.of(part, schema));
    }
    return layouts;
  }

  /**
   * A statement that creates the view of all rows, {@link Catalog#rows}; columns that a part does
   * not have are null there.
   */
  public static String createView(String table, Map<FlowPart, FlowLayout> layouts) {
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
}
