package io.millrace.store.duckdb.schema;

import io.millrace.store.DeviceNames;
import io.millrace.store.FlowSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What devices have told of the values of stored columns, as SQL: see {@link DeviceNames}. */
public final class ToldColumn {
  private static final String TABLE = Catalog.raw(Catalog.resultsName(DeviceNames.TABLE.name()));

  private ToldColumn() {}

  /** The columns that flows have so, as columns of a view. */
  static List<ViewColumn> of(FlowSchema schema) {
    return DeviceNames.columns(schema).stream().map(ToldColumn::view).toList();
  }

  private static ViewColumn view(DeviceNames.Column column) {
    List<String> stored = new ArrayList<>(List.of("exporter"));
    column.number().ifPresent(stored::add);
    return new ViewColumn(
        column.name(), stored, -1, select(column, "{0}", column.number().map(any -> "{1}")));
  }

  /** Whether the column is one of these, or labelled by one. */
  public static boolean isIn(ViewColumn column) {
    return column.readable().contains(TABLE);
  }

  /** The value for a row {@code f}, by the column's name. */
  public static Optional<String> ofRow(String name) {
    return DeviceNames.COLUMNS.stream()
        .filter(column -> column.name().equals(name))
        .map(
            column ->
                select(
                    column,
                    "f.\"exporter\"",
                    column.number().map(number -> "f." + Catalog.quoted(number))))
        .findFirst();
  }

  /** One value, or NULL; the table has at most one of a key. */
  private static String select(
      DeviceNames.Column column, String exporter, Optional<String> number) {
    String value = column.isSpeed() ? "max(d.speed) // 1000000" : "max(d." + column.value() + ")";
    return "(SELECT %s FROM %s d WHERE d.exporter = %s AND d.kind = '%s' AND d.number = %s)"
        .formatted(value, TABLE, exporter, column.kind(), number.orElse("0"));
  }
}
