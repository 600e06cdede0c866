package io.millrace.pipelines.count;

import io.millrace.pipelines.ApiEndpoint;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

final class PacketTotals {
  private static final Duration TIME = Duration.ofSeconds(10);

  private final Store store;

  PacketTotals(Store store) {
    this.store = store;
  }

  Map<String, Object> query(ApiEndpoint.Parameters parameters) {
    int seconds = parameters.intParameter("seconds", 10, 1, 3_600);
    List<Map<String, Object>> protocols =
        rows("SELECT proto, packets, bytes FROM packets_by_protocol", "proto");
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("packets", sum(protocols, "packets"));
    response.put("bytes", sum(protocols, "bytes"));
    response.put("protocols", protocols);
    response.put(
        "seconds",
        rows(
            "SELECT strftime(time, '%Y-%m-%dT%H:%M:%SZ'), packets, bytes FROM packets_by_second"
                + " ORDER BY time DESC LIMIT "
                + seconds,
            "time"));
    return response;
  }

  private static long sum(List<Map<String, Object>> rows, String column) {
    return rows.stream().mapToLong(row -> ((Number) row.get(column)).longValue()).sum();
  }

  private List<Map<String, Object>> rows(String sql, String key) {
    List<Map<String, Object>> rows = new ArrayList<>();
    try (QueryResult result = store.query(new QueryRequest(sql, TIME, Long.MAX_VALUE, false))) {
      while (result.next()) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put(key, result.value(0));
        row.put("packets", ((Number) result.value(1)).longValue());
        row.put("bytes", ((Number) result.value(2)).longValue());
        rows.add(row);
      }
    }
    return rows;
  }
}
