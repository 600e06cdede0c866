package io.millrace.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.server.replay.Replay;
import io.millrace.server.replay.Replays;
import io.millrace.server.replay.TooManyReplaysException;
import io.millrace.store.StoreException;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code POST /api/v1/replay} with {@code {"from": T, "to": T, "pipeline": NAME}} starts a replay,
 * {@code GET /api/v1/replay?table=NAME} says how far it is, {@code DELETE} of the same ends it and
 * drops its tables. Times are instants in ISO 8601.
 */
public final class ReplayEndpoint {
  private final Replays replays;

  /** Replays within the process. */
  public ReplayEndpoint(Replays replays) {
    this.replays = replays;
  }

  /** Starts one. */
  public void start(Exchange exchange) throws IOException {
    JsonNode body = exchange.body();
    String pipeline = body.path("pipeline").asText("flows");
    Instant from = Exchange.instant("from", body.path("from").asText(""));
    Instant to = Exchange.instant("to", body.path("to").asText(""));
    if (!from.isBefore(to)) {
      throw new ApiException(400, "from: " + from + " is not before to: " + to);
    }
    try {
      exchange.answer(report(replays.start(pipeline, from, to)));
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, e.getMessage());
    } catch (TooManyReplaysException e) {
      throw new ApiException(429, e.getMessage());
    }
  }

  /** Says how far one is. */
  public void show(Exchange exchange) throws IOException {
    String table = table(exchange);
    exchange.answer(report(replays.find(table).orElseThrow(() -> unknown(table))));
  }

  /** Ends one and drops its tables, also where an earlier process has filled them. */
  public void drop(Exchange exchange) throws IOException {
    String table = table(exchange);
    List<String> dropped;
    try {
      dropped = replays.drop(table);
    } catch (StoreException e) {
      throw new ApiException(503, e.getMessage());
    }
    if (dropped.isEmpty()) {
      throw unknown(table);
    }
    exchange.answer(Map.of("dropped", dropped));
  }

  private static String table(Exchange exchange) {
    return exchange
        .parameter("table")
        .orElseThrow(() -> new ApiException(400, "table: is missing"));
  }

  private static ApiException unknown(String table) {
    return new ApiException(404, "no replay into a table " + table + ", or it was dropped");
  }

  private static Map<String, Object> report(Replay replay) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("table", replay.name());
    report.put("state", replay.state().name().toLowerCase(Locale.ROOT));
    report.put("values", replay.values());
    report.put("values_done", replay.valuesDone());
    report.put("rows", replay.rows());
    report.put("result_tables", replay.resultTables());
    report.put("failure", replay.failure());
    return report;
  }
}
