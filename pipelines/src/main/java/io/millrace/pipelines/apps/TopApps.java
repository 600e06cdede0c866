package io.millrace.pipelines.apps;

import io.millrace.pipelines.ApiEndpoint;
import io.millrace.store.FlowQuery;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The applications with the most bytes or packets, and their subscribers. Without subscribers,
 * reads the sums by minute, which include open flows; with subscribers, reads completed flows.
 * Thread-safe.
 */
final class TopApps {
  private static final Duration TIME = Duration.ofSeconds(10);
  private static final String APP = "app";
  private static final List<String> DIMENSIONS = List.of(APP, "subscriber");

  private final Store store;

  TopApps(Store store) {
    this.store = store;
  }

  Map<String, Object> query(ApiEndpoint.Parameters parameters) {
    List<String> by = dimensions(parameters.get("by").orElse(APP));
    String metric = metric(parameters.get("metric").orElse("bytes"));
    Optional<Duration> last = parameters.get("last").map(text -> FlowQuery.duration("last", text));
    int limit = parameters.intParameter("n", 10, 1, 10_000);
    boolean isOfApps = by.equals(List.of(APP));
    String time = isOfApps ? "minute" : "last_time";
    String table = isOfApps ? AppsPipeline.APPS.name() : AppsPipeline.FLOWS.name();
    List<String> conditions = new ArrayList<>();
    last.ifPresent(
        back ->
            conditions.add(
                "%s > (SELECT max(%s) FROM %s) - INTERVAL %d SECOND"
                    .formatted(time, time, table, back.toSeconds())));
    if (by.contains("subscriber")) {
      conditions.add("subscriber <> ''");
    }
    String where = conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
    String groups = String.join(", ", by);
    String sql =
        "SELECT %s, sum(%s) AS volume, %s AS flows, sum(sum(%s)) OVER () AS total"
                .formatted(groups, metric, isOfApps ? "sum(flows)" : "count(*)", metric)
            + " FROM %s%s GROUP BY %s ORDER BY volume DESC, %s LIMIT %d"
                .formatted(table, where, groups, groups, limit);
    BigInteger total = BigInteger.ZERO;
    List<Object> rows = new ArrayList<>();
    try (QueryResult result = store.query(new QueryRequest(sql, TIME, Long.MAX_VALUE, false))) {
      while (result.next()) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < by.size(); i++) {
          values.add(result.value(i).toString());
        }
        total = number(result, by.size() + 2);
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("values", values);
        row.put("volume", number(result, by.size()));
        row.put("share", share(number(result, by.size()), total));
        row.put("flows", number(result, by.size() + 1));
        rows.add(row);
      }
    }
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("columns", by);
    response.put("total", total);
    response.put("rows", rows);
    return response;
  }

  private static double share(BigInteger volume, BigInteger total) {
    return total.signum() == 0 ? 0 : volume.doubleValue() / total.doubleValue();
  }

  private static BigInteger number(QueryResult result, int column) {
    return new BigInteger(result.value(column).toString());
  }

  private static List<String> dimensions(String names) {
    List<String> by = Arrays.asList(names.split(",", -1));
    if (by.size() > DIMENSIONS.size()
        || !DIMENSIONS.containsAll(by)
        || by.stream().distinct().count() < by.size()) {
      throw new IllegalArgumentException(
          "by: '" + names + "' is unknown, expected app or app,subscriber");
    }
    return by;
  }

  private static String metric(String name) {
    if (!name.equals("bytes") && !name.equals("packets")) {
      throw new IllegalArgumentException("metric: '" + name + "' is not bytes or packets");
    }
    return name;
  }
}
