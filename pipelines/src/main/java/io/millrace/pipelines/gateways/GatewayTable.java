package io.millrace.pipelines.gateways;

import io.millrace.analytics.gateway.GatewayDays;
import io.millrace.analytics.gateway.IntervalStatistics;
import io.millrace.store.Store;
import io.millrace.wire.block.TableSchema;
import java.util.List;

/**
 * A table that the job fills.
 *
 * @param table name in SQL
 * @param schema its columns
 * @param key columns of which a row takes the place of an earlier one; none where rows are only
 *     added
 */
public record GatewayTable(String table, TableSchema schema, List<String> key) {
  /** Totals of each gateway and day: one row each, as they are now. */
  public static final GatewayTable DAYS =
      new GatewayTable("gateway_days", GatewayDays.DAYS, List.of("day", "gateway"));

  /** How the gateways compare in each interval. */
  public static final GatewayTable INTERVALS =
      new GatewayTable("gateway_intervals", IntervalStatistics.INTERVALS, List.of());

  /** Hours of gateways that were not as usual. */
  public static final GatewayTable ALERTS =
      new GatewayTable("gateway_alerts", GatewayDays.ALERTS, List.of());

  /** All of them. */
  public static final List<GatewayTable> ALL = List.of(DAYS, INTERVALS, ALERTS);

  /**
   * Makes all tables, and the view of the greatest, where they are missing.
   *
   * @throws io.millrace.store.WrongSchemaException if one has a column of another type
   */
  public static void open(Store store) {
    for (GatewayTable each : ALL) {
      store.results(each.table, each.schema, each.key);
    }
    store.resultView(TopGateways.VIEW, TopGateways.view());
  }
}
