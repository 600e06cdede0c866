package io.millrace.store.duckdb.top;

import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ViewColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What questions are grouped by. */
final class Dimensions {
  private Dimensions() {}

  /**
   * The columns that a dimension means: one, or source and destination.
   *
   * @param question for the message
   * @throws IllegalArgumentException if there are none
   */
  static List<ViewColumn> columns(FlowView view, String dimension, String question) {
    String name = dimension.toLowerCase(Locale.ROOT);
    boolean both = view.column(name) == null;
    List<ViewColumn> columns = new ArrayList<>();
    for (String side : both ? List.of("src_", "dst_") : List.of("")) {
      ViewColumn column = view.column(side + name);
      if (column == null) {
        throw new IllegalArgumentException(
            "%s: unknown dimension %s; there are as, dns, domain, addr, port and the columns of %s"
                .formatted(question, dimension, view.name()));
      }
      columns.add(column);
    }
    return columns;
  }

  /** A column with the name of its value behind the value, where the view has one. */
  static ViewColumn labelled(FlowView view, ViewColumn column) {
    ViewColumn text = view.column(column.name() + "_name");
    if (text == null || text.nameOf() < 0) {
      return column;
    }
    return new ViewColumn(
        column.name(),
        List.of(column.stored().get(0), text.stored().get(0)),
        1,
        (column.name().endsWith("_as") ? "'AS' || " : "")
            + "{0}::VARCHAR || coalesce(' ' || {n}, '')");
  }
}
