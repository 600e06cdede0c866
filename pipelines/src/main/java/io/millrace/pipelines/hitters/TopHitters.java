package io.millrace.pipelines.hitters;

import io.millrace.analytics.hitters.HitterKind;
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
import java.util.stream.Collectors;

/** The heavy hitters of the newest epoch that has any, and likewise the changers. Thread-safe. */
final class TopHitters {
  private static final Duration TIME = Duration.ofSeconds(10);
  private static final List<String> NUMBERS =
      List.of("rank", "estimate", "lower", "upper", "previous", "change", "own");

  private static final Map<String, String> DETAILS = details();

  private static final String COLUMNS =
      "kind, key, share, algorithm, "
          + String.join(", ", NUMBERS)
          + ", "
          + String.join(", ", DETAILS.values());

  private final Store store;

  TopHitters(Store store) {
    this.store = store;
  }

  Map<String, Object> heavy(ApiEndpoint.Parameters parameters) {
    return query(parameters, "rank");
  }

  Map<String, Object> changed(ApiEndpoint.Parameters parameters) {
    return query(parameters, "change_rank");
  }

  private Map<String, Object> query(ApiEndpoint.Parameters parameters, String rank) {
    int limit = parameters.intParameter("n", 10, 1, 10_000);
    String kind = parameters.get("kind").map(TopHitters::kinds).orElse("true");
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("epoch", null);
    response.put("measure", null);
    List<Object> rows = new ArrayList<>();
    try (QueryResult result =
        run(
            "SELECT epoch::VARCHAR, measure, "
                + COLUMNS.replace("rank", rank + " AS rank")
                + " FROM "
                + HittersPipeline.NAME
                + " WHERE epoch = (SELECT coalesce(max(epoch) FILTER (WHERE epoch <= now()::TIMESTAMP),"
                + " max(epoch)) FROM "
                + HittersPipeline.NAME
                + " WHERE "
                + rank
                + " IS NOT NULL AND "
                + kind
                + ") AND "
                + rank
                + " <= "
                + limit
                + " AND "
                + kind
                + " ORDER BY kind, rank")) {
      while (result.next()) {
        response.put("epoch", result.value(0).toString().replace(' ', 'T') + "Z");
        response.put("measure", result.value(1).toString());
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("kind", result.value(2).toString());
        row.put("key", result.value(3).toString());
        row.put("share", ((Number) result.value(4)).doubleValue());
        row.put("algorithm", result.value(5).toString());
        int column = 6;
        for (String number : NUMBERS) {
          row.put(number, result.value(column++));
        }
        for (String detail : DETAILS.keySet()) {
          row.put(detail, result.value(column++));
        }
        rows.add(row);
      }
    }
    response.put("rows", rows);
    return response;
  }

  private static Map<String, String> details() {
    Map<String, String> details = new LinkedHashMap<>();
    for (String column : List.of("sources", "top_ports", "protocols", "tcp_flags", "countries")) {
      details.put(column, column);
    }
    for (String time : List.of("first_seen", "last_seen", "details_from")) {
      details.put(time, "strftime(" + time + ", '%Y-%m-%dT%H:%M:%S.%fZ')");
    }
    return details;
  }

  private static String kinds(String names) {
    return HitterKind.split(names, ',').stream()
        .map(name -> SqlLiteral.of(HitterKind.parse(name).name())) // rejects unknown kinds
        .collect(Collectors.joining(", ", "kind IN (", ")"));
  }

  private QueryResult run(String sql) {
    return store.query(new QueryRequest(sql, TIME, Long.MAX_VALUE, false));
  }
}
