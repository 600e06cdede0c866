package io.millrace.pipelines.flows;

import io.millrace.pipelines.ApiEndpoint;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.SqlLiteral;
import io.millrace.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Interfaces as reported by devices: name, description, derived boundary, speed, and utilisation
 * according to counters. Thread-safe.
 */
final class Interfaces {
  static final String VIEW = "interfaces";

  private static final Duration TIME = Duration.ofSeconds(10);
  private static final int MAX = 10_000;

  private final Store store;

  Interfaces(Store store) {
    this.store = store;
  }

  /** Query of the interfaces with a name, a speed, or counters in the last ten minutes. */
  static String view() {
    String newest =
        ("(SELECT * FROM %1$s WHERE time > (SELECT coalesce(max(time) FILTER (WHERE time <"
                + " now()::TIMESTAMP + INTERVAL 1 MINUTE), max(time)) FROM %1$s) - INTERVAL 10"
                + " MINUTE)")
            .formatted(InterfaceCounters.TABLE.name());
    return """
    SELECT exporter, "interface", max(name) AS name, max(description) AS description,
      max(boundary) AS boundary, max(speed) AS speed, max(counted) AS counted,
      max(in_bits) AS in_bits, max(out_bits) AS out_bits,
      max(in_percent) AS in_percent, max(out_percent) AS out_percent
    FROM (SELECT exporter, number AS "interface", name, description,
          boundary(name, description) AS boundary, speed,
          NULL::TIMESTAMP AS counted, NULL::DOUBLE AS in_bits, NULL::DOUBLE AS out_bits,
          NULL::DOUBLE AS in_percent, NULL::DOUBLE AS out_percent
        FROM device_names WHERE kind IN ('interface', 'speed')
      UNION ALL SELECT exporter, "interface", NULL, NULL, NULL, arg_max(speed, time), max(time),
          arg_max(in_bits, time), arg_max(out_bits, time),
          arg_max(in_percent, time), arg_max(out_percent, time)
        FROM (%s) GROUP BY exporter, "interface")
    GROUP BY exporter, "interface"
    """
        .formatted(InterfaceCounters.rates(newest));
  }

  Map<String, Object> query(ApiEndpoint.Parameters parameters) {
    int n = parameters.intParameter("n", 100, 1, MAX);
    String where =
        parameters
            .get("exporter")
            .map(address -> " WHERE exporter = " + SqlLiteral.of(address))
            .orElse("");
    String sql =
        "SELECT exporter, \"interface\", name, description, boundary, speed, strftime(counted,"
            + " '%Y-%m-%dT%H:%M:%SZ') AS counted, in_bits, out_bits, in_percent, out_percent FROM "
            + VIEW
            + where
            + " ORDER BY greatest(in_percent, out_percent) DESC NULLS LAST, exporter, \"interface\""
            + " LIMIT "
            + n;
    List<Map<String, Object>> rows = new ArrayList<>();
    try (QueryResult result = store.query(new QueryRequest(sql, TIME, n, false))) {
      while (result.next()) {
        Map<String, Object> row = new LinkedHashMap<>();
        for (int i = 0; i < result.columns().size(); i++) {
          row.put(result.columns().get(i).name(), result.value(i));
        }
        rows.add(row);
      }
    }
    return Map.of("rows", rows);
  }
}
