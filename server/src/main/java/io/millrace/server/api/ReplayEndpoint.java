package io.millrace.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.Replay;
import io.millrace.server.runtime.TooManyReplaysException;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * {@code POST /api/v1/replay} with {@code {"from": T, "to": T}} starts a replay of the log, {@code
 * GET /api/v1/replay?table=NAME} says how far it is. Times are instants in ISO 8601.
 */
public final class ReplayEndpoint {
  private final Millrace millrace;

  /** Replays within the process. */
  public ReplayEndpoint(Millrace millrace) {
    this.millrace = millrace;
  }

  /** Starts one. */
  public void start(Exchange exchange) throws IOException {
    JsonNode body = exchange.body();
    String pipeline = body.path("pipeline").asText("flows");
    if (!pipeline.equals("flows")) {
      throw new ApiException(400, "pipeline: " + pipeline + " is unknown, there is flows");
    }
    Instant from = Exchange.instant("from", body.path("from").asText(""));
    Instant to = Exchange.instant("to", body.path("to").asText(""));
    if (!from.isBefore(to)) {
      throw new ApiException(400, "from: " + from + " is not before to: " + to);
    }
    try {
      exchange.answer(report(millrace.replays().start(from, to)));
    } catch (TooManyReplaysException e) {
      throw new ApiException(429, e.getMessage());
    }
  }

  /** Says how far one is. */
  public void show(Exchange exchange) throws IOException {
    String table =
        exchange.parameter("table").orElseThrow(() -> new ApiException(400, "table: is missing"));
    Replay replay =
        millrace
            .replays()
            .find(table)
            .orElseThrow(
                () ->
                    new ApiException(
                        404, "no replay into a table " + table + ", or many have ended since"));
    exchange.answer(report(replay));
  }

  private static Map<String, Object> report(Replay replay) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("table", replay.table());
    report.put("state", replay.state().name().toLowerCase(Locale.ROOT));
    report.put("values", replay.values());
    report.put("values_done", replay.valuesDone());
    report.put("rows", replay.rows());
    report.put("result_tables", replay.resultTables());
    report.put("failure", replay.failure());
    return report;
  }
}
