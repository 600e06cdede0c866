package io.millrace.store.duckdb.top;

import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ReportedColumn;
import io.millrace.store.duckdb.schema.ReportedKey;
import io.millrace.store.duckdb.schema.ViewColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Dimensions that queries group by. */
final class Dimensions {
  private Dimensions() {}

  /**
   * Columns of a dimension: one, or source and destination.
   *
   * @param function function name for the message
   * @throws IllegalArgumentException if the dimension is unknown
   */
  static List<ViewColumn> columns(FlowView view, String dimension, String function) {
    String name = dimension.toLowerCase(Locale.ROOT);
    boolean both = view.dimension(name) == null;
    List<ViewColumn> columns = new ArrayList<>();
    for (String side : both ? List.of("src_", "dst_") : List.of("")) {
      ViewColumn column = column(view, side + name);
      if (column == null) {
        throw new IllegalArgumentException(
            "%s: unknown dimension %s; there are as, dns, domain, addr, port and the columns of %s"
                .formatted(function, dimension, view.name()));
      }
      columns.add(column);
    }
    return columns;
  }

  /** Column to group by; null if there is none. */
  static ViewColumn column(FlowView view, String name) {
    ViewColumn column = view.dimension(name);
    return column != null && ReportedColumn.isIn(column) ? ReportedKey.of(column) : column;
  }

  static ViewColumn labelled(FlowView view, ViewColumn column, List<ViewColumn> others) {
    ViewColumn text = view.dimension(column.name().replaceFirst("_id$", "") + "_name");
    if (text == null) {
      return column;
    }
    if (text.nameOf() >= 0) {
      return new ViewColumn(
          column.name(),
          List.of(column.stored().get(0), text.stored().get(0)),
          1,
          (column.name().endsWith("_as") ? "'AS' || " : "")
              + "(%s)::VARCHAR || coalesce(' ' || {n}, '')".formatted(column.readable()));
    }
    boolean isKnown =
        others.stream().anyMatch(other -> other.stored().get(0).equals(text.stored().get(0)));
    return isKnown
        ? new ViewColumn(
            column.name(), text.stored(), -1, named(column, text.stored().size() - 1, text))
        : column;
  }

  private static String named(ViewColumn column, int place, ViewColumn text) {
    String value = column.readable().replace("{0}", "{" + place + "}");
    return "(" + value + ")::VARCHAR || coalesce(' ' || " + text.readable() + ", '')";
  }
}
