package io.millrace.pipelines.voice;

import io.millrace.pipelines.ApiEndpoint;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

final class Controllers {
  private static final Duration TIME = Duration.ofSeconds(10);
  private static final int MAX = 10_000;

  private final Store store;

  Controllers(Store store) {
    this.store = store;
  }

  Map<String, Object> now(ApiEndpoint.Parameters parameters) {
    return Map.of(
        "controllers",
        rows(
            parameters,
            List.of("controller", "time", "state", "bytes", "in_use", "since"),
            VoicePipeline.CONTROLLERS.name(),
            "",
            "(state = 'limit') DESC, bytes DESC, controller"));
  }

  Map<String, Object> commands(ApiEndpoint.Parameters parameters) {
    String of =
        parameters
            .get("controller")
            .map(controller -> " WHERE controller = " + number(controller))
            .orElse("");
    return Map.of(
        "commands",
        rows(
            parameters,
            List.of("time", "controller", "command", "bytes", "in_use"),
            VoicePipeline.COMMANDS.name(),
            of,
            "time DESC, controller"));
  }

  private static String number(String controller) {
    if (!controller.matches("[0-9]{1,15}")) {
      throw new IllegalArgumentException(
          "controller: '" + controller + "' is not a number of up to 15 digits");
    }
    return controller;
  }

  private List<Map<String, Object>> rows(
      ApiEndpoint.Parameters parameters,
      List<String> columns,
      String table,
      String where,
      String order) {
    int limit = parameters.intParameter("n", 100, 1, MAX);
    String sql =
        "SELECT %s FROM %s%s ORDER BY %s LIMIT %d"
            .formatted(
                String.join(", ", columns)
                    .replace("time", "time::VARCHAR")
                    .replace("since", "since::VARCHAR"),
                table,
                where,
                order,
                limit);
    List<Map<String, Object>> rows = new ArrayList<>();
    try (QueryResult result = store.query(new QueryRequest(sql, TIME, Long.MAX_VALUE, false))) {
      while (result.next()) {
        Map<String, Object> row = new LinkedHashMap<>();
        for (int i = 0; i < columns.size(); i++) {
          row.put(columns.get(i), value(columns.get(i), result.value(i)));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  private static Object value(String column, Object value) {
    boolean isTime = column.equals("time") || column.equals("since");
    return isTime && value != null ? value.toString().replace(' ', 'T') + "Z" : value;
  }
}
