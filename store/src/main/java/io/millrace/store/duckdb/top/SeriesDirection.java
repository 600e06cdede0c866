package io.millrace.store.duckdb.top;

import io.millrace.store.FlowSchema;
import io.millrace.store.SeriesRequest;
import io.millrace.store.TopRequest;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ReportedKey;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.filter.Filter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What is asked of one direction: by what flows are grouped, and which of them count.
 *
 * @param columns that devices report of a group: as a filter reads them, then the same for people
 * @param top finds the largest groups; null where nothing is grouped by
 * @param sql sums groups up by points
 * @param keys of the groups
 */
record SeriesDirection(List<ViewColumn> columns, TopSql top, SeriesSql sql, GroupKeys keys) {

  static SeriesDirection of(
      SeriesRequest request,
      FlowView view,
      FlowSchema schema,
      List<ViewColumn> plain,
      Optional<Filter> filter) {
    String condition = filter.map(FilterSql::where).orElse("");
    List<ViewColumn> columns = new ArrayList<>(plain);
    plain.forEach(column -> columns.add(Dimensions.labelled(view, column, plain)));
    Set<String> grouped = new LinkedHashSet<>();
    columns.forEach(column -> grouped.addAll(column.stored()));
    Set<String> used = new LinkedHashSet<>(ReportedKey.stored(grouped));
    used.addAll(TopSql.columnsIn(condition));
    FlowLayout layout = FlowLayout.of(FlowPart.RECORDS, schema);
    GroupKeys keys =
        new GroupKeys(
            grouped.stream()
                .map(name -> new GroupKeys.Column(name, sqlType(name, layout)))
                .toList());
    return new SeriesDirection(
        columns,
        plain.isEmpty() ? null : new TopSql(view.table(), columns, top(request), condition),
        new SeriesSql(
            view.table(),
            List.copyOf(grouped),
            used,
            condition,
            MeasureSums.of(request.measure().counted())),
        keys);
  }

  private static String sqlType(String grouped, FlowLayout layout) {
    return ReportedKey.is(grouped)
        ? ReportedKey.SQL_TYPE
        : layout.columns().get(layout.place(grouped)).sqlType();
  }

  private static TopRequest top(SeriesRequest request) {
    return new TopRequest(
        request.dimensions(),
        request.measure().counted(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        request.n(),
        request.table());
  }

  boolean isPlain() {
    return sql.condition().isEmpty();
  }
}
