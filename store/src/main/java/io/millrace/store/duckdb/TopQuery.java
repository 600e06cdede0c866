package io.millrace.store.duckdb;

import io.millrace.store.FlowSchema;
import io.millrace.store.QueryResult;
import io.millrace.store.TopRequest;
import io.millrace.store.TopResult;
import io.millrace.store.filter.FilterParser;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The largest groups, over what is stored: names and addresses become text for the groups in the
 * answer only.
 *
 * <p>Volume is summed as {@code DOUBLE}: bytes times sampling rate may pass 64 bits in a long
 * table, and is an estimate to begin with.
 */
final class TopQuery {
  private final Queries queries;
  private final FlowView view;
  private final FlowSchema schema;

  /** Questions about a view of a table with the schema. */
  TopQuery(Queries queries, FlowView view, FlowSchema schema) {
    this.queries = queries;
    this.view = view;
    this.schema = schema;
  }

  TopResult run(TopRequest request, Duration limit) {
    List<ViewColumn> columns = columns(request.dimensions());
    String weight = request.by() == TopRequest.Measure.BYTES ? "f.bytes" : "f.packets";
    String volume = "coalesce(sum(" + weight + "::DOUBLE * coalesce(f.sampling_rate, 1)), 0)";
    String where = where(request);
    double total;
    double seconds;
    boolean estimated;
    try (QueryResult totals =
        queries.trusted(
            "SELECT %s, coalesce(epoch(max(f.time) - min(f.time)), 0)::DOUBLE, coalesce(max(f.sampling_rate), 1) > 1%s%s"
                .formatted(volume, view.from(), where),
            limit)) {
      totals.next();
      total = (Double) totals.value(0);
      seconds = (Double) totals.value(1);
      estimated = (Boolean) totals.value(2);
    }
    List<TopResult.Row> rows = new ArrayList<>();
    try (QueryResult groups = queries.trusted(groups(columns, volume, where, request.n()), limit)) {
      while (groups.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
          values.add((String) groups.value(i));
        }
        rows.add(
            new TopResult.Row(
                java.util.Collections.unmodifiableList(values),
                (Double) groups.value(columns.size()),
                (Long) groups.value(columns.size() + 1)));
      }
    }
    return new TopResult(
        columns.stream().map(ViewColumn::name).toList(), rows, total, seconds, estimated);
  }

  private String groups(List<ViewColumn> columns, String volume, String where, int n) {
    List<String> stored = new ArrayList<>();
    List<String> readable = new ArrayList<>();
    StringBuilder joins = new StringBuilder();
    for (ViewColumn column : columns) {
      List<String> values = new ArrayList<>();
      for (String name : column.stored()) {
        String alias = "s" + stored.size();
        stored.add("f." + Catalog.quoted(name) + " AS " + alias);
        values.add("g." + alias);
      }
      String alias = "n" + readable.size();
      if (column.nameOf() >= 0) {
        joins.append(FlowView.joinNames(alias, values.get(column.nameOf())));
      }
      readable.add("(" + column.readable(values, alias + ".name") + ")::VARCHAR");
    }
    return "SELECT %s, g.volume, g.flows FROM (SELECT %s, %s AS volume, count(*) AS flows%s%s GROUP BY ALL ORDER BY volume DESC LIMIT %d) g%s ORDER BY g.volume DESC"
        .formatted(
            String.join(", ", readable),
            String.join(", ", stored),
            volume,
            view.from(),
            where,
            n,
            joins);
  }

  private String where(TopRequest request) {
    List<String> all = new ArrayList<>();
    request.from().ifPresent(from -> all.add("f.time >= " + time(from)));
    request.to().ifPresent(to -> all.add("f.time < " + time(to)));
    request
        .last()
        .ifPresent(
            last ->
                all.add(
                    "f.time > (SELECT max(time) FROM %s) - to_microseconds(%d)"
                        .formatted(Catalog.rows(view.table()), last.toNanos() / 1000)));
    request
        .filter()
        .ifPresent(filter -> all.add(FilterSql.where(FilterParser.parse(filter, schema))));
    return all.isEmpty() ? "" : " WHERE " + String.join(" AND ", all);
  }

  private static String time(Instant time) {
    return "make_timestamp(" + ChronoUnit.MICROS.between(Instant.EPOCH, time) + "::BIGINT)";
  }

  private List<ViewColumn> columns(List<String> dimensions) {
    List<ViewColumn> columns = new ArrayList<>();
    for (String dimension : dimensions) {
      String name = dimension.toLowerCase(Locale.ROOT);
      boolean both = view.column(name) == null;
      for (String side : both ? List.of("src_", "dst_") : List.of("")) {
        columns.add(column(side + name, dimension));
      }
    }
    return columns;
  }

  private ViewColumn column(String name, String dimension) {
    ViewColumn column = view.column(name);
    if (column == null) {
      throw new IllegalArgumentException(
          "top: unknown dimension "
              + dimension
              + "; there are as, dns, domain, addr, port and the columns of "
              + view.name());
    }
    ViewColumn text = view.column(name + "_name");
    if (text == null || text.nameOf() < 0) {
      return column;
    }
    return new ViewColumn(
        name,
        List.of(column.stored().get(0), text.stored().get(0)),
        1,
        "'AS' || {0} || coalesce(' ' || {n}, '')");
  }
}
