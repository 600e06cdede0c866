package io.millrace.store.duckdb.sample;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.query.Pieces;
import io.millrace.store.rollup.Grain;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * View of the sample for users: rows of flows with {@code weight}, the number of rows that each
 * represents. For each time it has the finest sample that is kept.
 */
public final class SampleView {
  private static final String WEIGHT = "weight";

  private SampleView() {}

  public static String name(String table) {
    return table + "_sampled";
  }

  /**
   * Statement that creates or replaces the view.
   *
   * @param layout layout of the whole table of flows
   */
  public static String create(FlowView flows, FlowLayout layout) {
    List<ViewColumn> columns = new ArrayList<>(flows.columns());
    columns.add(ViewColumn.plain(WEIGHT, Pieces.WEIGHT));
    return "CREATE OR REPLACE VIEW %s AS %s"
        .formatted(
            Catalog.main(name(flows.table())),
            flows.over("(" + rows(flows.table(), layout) + ")", columns).select(any -> true, ""));
  }

  private static String rows(String table, FlowLayout layout) {
    String list =
        layout.columns().stream()
            .map(column -> Catalog.quoted(column.name()))
            .collect(Collectors.joining(", "));
    List<String> selects = new ArrayList<>();
    for (SampleTables each : SampleTables.values()) {
      selects.add(
          "SELECT %s, %s AS p FROM %s WHERE epoch_us(time) >= %s"
              .formatted(
                  list,
                  chance(table, each),
                  each.stored(table),
                  from(table, each.grains().get(each.grains().size() - 1))));
    }
    return "SELECT %s, 1 / p AS %s FROM (%s)"
        .formatted(list, Pieces.WEIGHT, String.join(" UNION ALL ", selects));
  }

  private static String chance(String table, SampleTables rows) {
    StringBuilder chance = new StringBuilder("CASE");
    for (Grain grain : rows.grains()) {
      chance
          .append(" WHEN epoch_us(time) >= ")
          .append(from(table, grain))
          .append(" THEN ")
          .append(SampleSql.chance(rows, grain));
    }
    return chance.append(" END").toString();
  }

  private static String from(String table, Grain grain) {
    return "(SELECT %s_from FROM %s WHERE table_name = '%s')"
        .formatted(grain.label(), SampleTables.STATE, table);
  }
}
