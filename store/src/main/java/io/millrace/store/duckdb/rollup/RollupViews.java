package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.store.rollup.RollupSet;
import java.util.ArrayList;
import java.util.List;

/**
 * Views of rollups for users: one row per bucket and group, with all rolled rows, in open and
 * closed buckets.
 */
final class RollupViews {
  private RollupViews() {}

  static String name(String table, String set, Grain grain) {
    return table + "_" + grain.label() + "_" + set;
  }

  static List<String> names(String table, String set) {
    List<String> names = new ArrayList<>();
    for (Grain grain : Grain.values()) {
      names.add(name(table, set, grain));
    }
    return names;
  }

  static List<String> create(FlowView flows, RollupSet set, Accounting accounting) {
    List<String> statements = new ArrayList<>();
    for (Grain grain : Grain.values()) {
      statements.add(
          "CREATE OR REPLACE VIEW %s AS %s"
              .formatted(
                  Catalog.main(name(flows.table(), set.name(), grain)),
                  select(flows, set, grain, accounting)));
    }
    return statements;
  }

  private static String select(FlowView flows, RollupSet set, Grain grain, Accounting accounting) {
    StringBuilder columns = new StringBuilder();
    StringBuilder joins = new StringBuilder();
    for (String name : set.columns()) {
      ViewColumn column = flows.column(name);
      String alias = "n" + columns.length();
      String stored = "g." + Catalog.quoted(name);
      if (column.nameOf() >= 0) {
        joins.append(FlowView.joinNames(alias, stored));
      }
      columns
          .append(", ")
          .append(column.readable(List.of(stored), alias + ".name"))
          .append(" AS ")
          .append(Catalog.quoted(name));
    }
    RollupCatalog.SUMS.forEach(sum -> columns.append(", g.").append(Catalog.quoted(sum)));
    return "SELECT g.bucket%s FROM (%s) g%s WHERE %s"
        .formatted(
            columns,
            groups(flows.table(), set, grain, accounting),
            joins,
            RollupSql.isSomething("g"));
  }

  private static String groups(String table, RollupSet set, Grain grain, Accounting accounting) {
    String dims = RollupSql.list(set.columns());
    String stored =
        "SELECT bucket, %s, spread, %s FROM %s"
            .formatted(
                dims,
                RollupSql.list(RollupCatalog.SUMS),
                RollupCatalog.stored(table, set.name(), grain));
    String open = open(table, set, grain, RollupCatalog.open(table, set.name()));
    if (grain == Grain.DAY) {
      open += " UNION ALL " + open(table, set, grain, RollupCatalog.openHours(table, set.name()));
    }
    return "SELECT bucket, %s, %s FROM (%s UNION ALL %s)%s GROUP BY bucket, %s"
        .formatted(
            dims,
            RollupSql.WIDE.sumsOfSums(),
            stored,
            open,
            accounting == Accounting.ARRIVAL ? " WHERE NOT spread" : "",
            dims);
  }

  private static String open(String table, RollupSet set, Grain grain, String open) {
    return "SELECT %s AS bucket, %s, spread, %s FROM %s WHERE epoch_us(bucket) >= (SELECT greatest(from_micros, complete_micros) FROM %s WHERE table_name = '%s' AND set_name = '%s' AND grain = '%s')"
        .formatted(
            RollupSql.bucket(grain, "bucket"),
            RollupSql.list(set.columns()),
            RollupSql.list(RollupCatalog.SUMS),
            open,
            RollupCatalog.GRAINS,
            table,
            set.name(),
            grain);
  }
}
