package io.millrace.pipelines.gateways;

import io.millrace.analytics.gateway.GatewayDays;
import io.millrace.analytics.gateway.IntervalStatistics;
import io.millrace.store.Store;
import io.millrace.wire.block.TableSchema;
import java.util.List;

/** The tables that the job fills. */
public enum GatewayTables {
  /** Totals of each gateway and day: one row each, as they are now. */
  DAYS("gateway_days", GatewayDays.DAYS, List.of("day", "gateway")),
  /** How the gateways compare in each interval. */
  INTERVALS("gateway_intervals", IntervalStatistics.INTERVALS, List.of()),
  /** Hours of gateways that were not as usual. */
  ALERTS("gateway_alerts", GatewayDays.ALERTS, List.of());

  private final String table;
  private final TableSchema schema;
  private final List<String> key;

  GatewayTables(String table, TableSchema schema, List<String> key) {
    this.table = table;
    this.schema = schema;
    this.key = key;
  }

  /** Name in SQL. */
  public String table() {
    return table;
  }

  /** Its columns. */
  public TableSchema schema() {
    return schema;
  }

  /** Columns of which a row takes the place of an earlier one; none where rows are only added. */
  public List<String> key() {
    return key;
  }

  /**
   * Makes the tables, and the view of the greatest, where they are missing.
   *
   * @throws io.millrace.store.WrongSchemaException if one has a column of another type
   */
  public static void open(Store store) {
    for (GatewayTables each : values()) {
      store.results(each.table, each.schema, each.key);
    }
    store.resultView(TopGateways.VIEW, TopGateways.view());
  }
}
