package io.millrace.store.duckdb.schema;

import io.millrace.store.DeviceNames;
import io.millrace.store.FlowSchema;
import io.millrace.store.query.Constant;
import io.millrace.store.query.Dialect;
import io.millrace.store.query.Expr;
import io.millrace.store.query.Relation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** SQL of names that devices report for the values of stored columns: see {@link DeviceNames}. */
public final class ReportedColumn {
  static final Relation TABLE = Catalog.stored(Catalog.resultsName(DeviceNames.TABLE.name()));

  private static final String TABLE_NAME = TABLE.in(Dialect.DUCKDB);

  private ReportedColumn() {}

  static List<ViewColumn> of(FlowSchema schema) {
    return DeviceNames.columns(schema).stream().map(ReportedColumn::view).toList();
  }

  private static ViewColumn view(DeviceNames.Column column) {
    List<String> stored = new ArrayList<>(List.of("exporter"));
    column.number().ifPresent(stored::add);
    return new ViewColumn(
        column.name(), stored, -1, select(column, "{0}", column.number().map(any -> "{1}")));
  }

  /** Whether the column is reported, or labelled with a reported one. */
  public static boolean isIn(ViewColumn column) {
    return isIn(column.readable());
  }

  /** Whether SQL reads reported names. */
  public static boolean isIn(String sql) {
    return sql.contains(TABLE_NAME);
  }

  static DeviceNames.Column of(ViewColumn column) {
    return DeviceNames.COLUMNS.stream()
        .filter(reported -> view(reported).withName(column.name()).equals(column))
        .findFirst()
        .orElseThrow(() -> new AssertionError(column));
  }

  static DeviceNames.Column find(String name) {
    return DeviceNames.COLUMNS.stream()
        .filter(column -> column.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name));
  }

  /** Value for a row {@code f}, by column name. */
  public static Expr ofRow(String name) {
    ViewColumn column = view(find(name));
    return column.readable(Expr.columns("f", column.stored()), Constant.NULL);
  }

  private static String select(
      DeviceNames.Column column, String exporter, Optional<String> number) {
    return "(SELECT %s FROM %s AND d.exporter = %s AND d.number = %s)"
        .formatted(value(column), names(column), exporter, number.orElse("0"));
  }

  static String names(DeviceNames.Column column) {
    return "%s d WHERE d.kind = '%s'".formatted(TABLE_NAME, column.kind());
  }

  static String value(DeviceNames.Column column) {
    return switch (column.value()) {
      case DeviceNames.SPEED -> "max(d.speed) // 1000000";
      case DeviceNames.BOUNDARY ->
          "max(" + Catalog.main(DeviceNames.BOUNDARY) + "(d.name, d.description))";
      default -> "max(d." + column.value() + ")";
    };
  }
}
