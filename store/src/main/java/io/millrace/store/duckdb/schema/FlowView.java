package io.millrace.store.duckdb.schema;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.FlowSchema;
import io.millrace.store.Store;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * View of a table of flows with readable columns: all of them for the view in the database, or
 * those that one query needs.
 *
 * @param name view name
 * @param table table of flows
 * @param committed whether it shows only committed rows
 * @param columns columns from left to right
 * @param onRequest columns for queries that name them, but not for {@code *}, since they take time
 *     for each row
 * @param rows FROM clause of the stored rows
 */
public record FlowView(
    String name,
    String table,
    boolean committed,
    List<ViewColumn> columns,
    List<ViewColumn> onRequest,
    String rows) {
  private static final ViewColumn COMMUNITY =
      new ViewColumn(
          CommunityId.NAME,
          List.of("src_addr", "dst_addr", "proto", "src_port", "dst_port"),
          -1,
          Catalog.main(CommunityId.NAME) + "({0}, {1}, {2}, {3}, {4})");

  FlowView(
      String name,
      String table,
      boolean committed,
      List<ViewColumn> columns,
      List<ViewColumn> onRequest) {
    this(name, table, committed, columns, onRequest, rows(table, committed));
  }

  /** Whether the rows have addresses also as {@link FlowLayout#stored}. */
  public boolean hasStoredAddresses() {
    return rows.equals(rows(table, committed));
  }

  private static String rows(String table, boolean committed) {
    return committed
        ? Catalog.raw(Catalog.committed(Catalog.rowsName(table)))
        : Catalog.rows(table);
  }

  /** This view over other rows, with the columns that these have. */
  public FlowView over(String otherRows, List<ViewColumn> otherColumns) {
    return new FlowView(name, table, false, otherColumns, List.of(), otherRows);
  }

  /** This view with other forms of its columns. */
  public FlowView with(List<ViewColumn> otherColumns) {
    return new FlowView(name, table, committed, otherColumns, onRequest, rows);
  }

  /** All views of a table. */
  public static List<FlowView> of(String table, FlowLayout layout) {
    List<ViewColumn> flows = flowColumns(layout);
    List<ViewColumn> onRequest = new ArrayList<>(ReportedColumn.of(layout.schema()));
    onRequest.add(COMMUNITY);
    List<FlowView> views = new ArrayList<>();
    views.add(new FlowView(table, table, false, flows, onRequest));
    views.add(new FlowView(table + "_committed", table, true, flows, onRequest));
    if (table.equals(Store.FLOWS)) {
      views.add(new FlowView("netdata", table, false, netdataColumns(layout), List.of()));
      views.add(
          new FlowView(
              AkvoradoColumns.VIEW,
              table,
              false,
              AkvoradoColumns.of(layout),
              AkvoradoColumns.onRequest(layout)));
    }
    return views;
  }

  private static List<ViewColumn> flowColumns(FlowLayout layout) {
    List<ViewColumn> columns = new ArrayList<>();
    for (FlowColumn column : FlowColumn.ALL) {
      String name = column.columnName();
      columns.add(
          switch (column.type()) {
            case ADDRESS -> ViewColumn.address(name, name);
            case MAC -> ViewColumn.mac(name, name);
            default ->
                column == FlowColumn.SAMPLING_RATE
                    ? ViewColumn.wide(name, name)
                    : ViewColumn.plain(name, name);
          });
    }
    columns.addAll(joined(layout.schema()));
    for (String name : List.of("log_partition", "log_offset", "log_index")) {
      columns.add(ViewColumn.plain(name, name));
    }
    return columns;
  }

  static List<ViewColumn> joined(FlowSchema schema) {
    return schema.joined().stream()
        .map(
            joined ->
                joined.kind() == JoinedColumn.Kind.TEXT
                    ? ViewColumn.text(joined.name(), joined.name())
                    : ViewColumn.plain(joined.name(), joined.name()))
        .toList();
  }

  private static List<ViewColumn> netdataColumns(FlowLayout layout) {
    return List.of(
        ViewColumn.micros("t", "time"),
        ViewColumn.address("ipS", "src_addr"),
        addressNumber("ipSI", "src_addr"),
        ViewColumn.address("ipD", "dst_addr"),
        addressNumber("ipDI", "dst_addr"),
        ViewColumn.plain("proto", "proto"),
        ViewColumn.plain("portS", "src_port"),
        ViewColumn.plain("portD", "dst_port"),
        ViewColumn.plain("size", "bytes"),
        label("asS", layout, "src_as", "src_as_name"),
        label("asD", layout, "dst_as", "dst_as_name"),
        nameOrNull("dnsS", layout, "src_dns"),
        nameOrNull("dnsD", layout, "dst_dns"));
  }

  private static ViewColumn addressNumber(String name, String stored) {
    return new ViewColumn(name, List.of(stored), -1, Catalog.main("ip_number") + "({0})");
  }

  private static ViewColumn label(String name, FlowLayout layout, String number, String text) {
    if (layout.place(number) < 0) {
      return nameOrNull(name, layout, text);
    }
    if (layout.place(text) < 0) {
      return new ViewColumn(name, List.of(number), -1, "coalesce('AS' || {0}, 'null')");
    }
    return new ViewColumn(
        name,
        List.of(number, text),
        1,
        "coalesce('AS' || {0} || coalesce(' ' || {n}, ''), 'null')");
  }

  private static ViewColumn nameOrNull(String name, FlowLayout layout, String text) {
    return layout.place(text) < 0
        ? new ViewColumn(
            name, List.of("log_partition"), -1, "CASE WHEN {0} < -1 THEN '' ELSE 'null' END")
        : new ViewColumn(name, List.of(text), 0, "coalesce({n}, 'null')");
  }

  /** Column by name, ignoring case; null if there is none. */
  public ViewColumn column(String columnName) {
    for (ViewColumn column : columns) {
      if (column.name().equalsIgnoreCase(columnName)) {
        return column;
      }
    }
    return null;
  }

  /** Column to group by, which may be a name that devices report; null if there is none. */
  public ViewColumn dimension(String columnName) {
    ViewColumn column = column(columnName);
    return column != null
        ? column
        : onRequest.stream()
            .filter(ReportedColumn::isIn)
            .filter(reported -> reported.name().equalsIgnoreCase(columnName))
            .findFirst()
            .orElse(null);
  }

  /** Column that a reference in a query names, ignoring its qualifier. */
  public ViewColumn column(JsonNode reference) {
    JsonNode names = reference.path("column_names");
    return names.isEmpty() ? null : column(names.path(names.size() - 1).asText());
  }

  /**
   * SELECT of the needed columns in readable form; joins names only for those.
   *
   * @param needed selects lower-case column names
   * @param where condition on the table {@code f}, or empty
   */
  public String select(Predicate<String> needed, String where) {
    return select(needed, false, where);
  }

  /**
   * SELECT of the needed columns in readable form.
   *
   * @param withOnRequest whether to include needed columns that exist only on request
   */
  public String select(Predicate<String> needed, boolean withOnRequest, String where) {
    StringBuilder list = new StringBuilder();
    StringBuilder joins = new StringBuilder();
    int n = 0;
    List<ViewColumn> all = new ArrayList<>(columns);
    if (withOnRequest) {
      all.addAll(onRequest);
    }
    for (ViewColumn column : all) {
      if (!needed.test(column.name().toLowerCase(Locale.ROOT))) {
        continue;
      }
      List<String> stored =
          column.stored().stream().map(name -> "f." + Catalog.quoted(name)).toList();
      String alias = "n" + n++;
      if (column.nameOf() >= 0) {
        joins.append(joinNames(alias, stored.get(column.nameOf())));
      }
      list.append(list.isEmpty() ? "" : ", ")
          .append(column.readable(stored, alias + ".name"))
          .append(" AS ")
          .append(Catalog.quoted(column.name()));
    }
    return "SELECT "
        + (list.isEmpty() ? "f.log_index" : list)
        + from()
        + joins
        + (where.isEmpty() ? "" : " WHERE " + where);
  }

  public static String joinNames(String alias, String id) {
    return " LEFT JOIN " + Catalog.main("names") + " " + alias + " ON " + alias + ".id = " + id;
  }

  /** {@code FROM} clause of the stored rows as {@code f}. */
  public String from() {
    return " FROM " + rows + " f";
  }

  /** Statement that creates the view in the database. */
  public String create() {
    return "CREATE OR REPLACE VIEW " + Catalog.main(name) + " AS " + select(column -> true, "");
  }
}
