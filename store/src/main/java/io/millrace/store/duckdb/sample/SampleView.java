package io.millrace.store.duckdb.sample;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.rollup.Grain;
import java.util.ArrayList;
import java.util.List;

/**
 * The view of the sample that people use: a row of flows with {@code weight}, the number of rows
 * that it stands for; of each time the finest sample that is kept.
 */
public final class SampleView {
  private static final String WEIGHT = "weight";

  private SampleView() {}

  /** Its name. */
  public static String name(String table) {
    return table + "_sampled";
  }

  /**
   * The statement that makes or replaces it.
   *
   * @param layout of the whole table of flows
   */
  public static String create(FlowView flows, FlowLayout layout) {
    List<ViewColumn> columns = new ArrayList<>(flows.columns());
    columns.add(ViewColumn.plain(WEIGHT, SampleSql.WEIGHT));
    return "CREATE OR REPLACE VIEW %s AS %s"
        .formatted(
            Catalog.main(name(flows.table())),
            flows.over("(" + rows(flows.table(), layout) + ")", columns).select(any -> true, ""));
  }

  private static String rows(String table, FlowLayout layout) {
    List<String> columns = layout.columns().stream().map(FlowLayout.Column::name).toList();
    List<String> selects = new ArrayList<>();
    String before = "";
    for (Grain grain : SampleTables.GRAINS) {
      String from = from(table, grain);
      selects.add(
          "SELECT * FROM (%s) WHERE epoch_us(time) >= %s%s"
              .formatted(
                  SampleSql.rows(table, grain, SampleTables.of(grain), columns), from, before));
      before = " AND epoch_us(time) < " + from;
    }
    return String.join(" UNION ALL ", selects);
  }

  private static String from(String table, Grain grain) {
    return "(SELECT %s_from FROM %s WHERE table_name = '%s')"
        .formatted(grain.label(), SampleTables.STATE, table);
  }
}
