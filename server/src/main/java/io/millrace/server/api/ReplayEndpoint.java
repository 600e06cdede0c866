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
 * {@code GET /api/v1/replay?table=NAME} returns its progress, {@code DELETE} stops it and drops its
 * tables. Times are instants in ISO 8601.
 */
public final class ReplayEndpoint {
  private final Replays replays;

  /** Creates the endpoint of these replays. */
  public ReplayEndpoint(Replays replays) {
    this.replays = replays;
  }

  /** Starts a replay. */
  public void start(Exchange exchange) throws IOException {
    JsonNode body = exchange.body();
    String pipeline = body.path("pipeline").asText("flows");
    Instant from = Exchange.instant("from", body.path("from").asText(""));
    Instant to = Exchange.instant("to", body.path("to").asText(""));
    if (!from.isBefore(to)) {
      throw new ApiException(400, "from: " + from + " must be before to: " + to);
    }
    try {
      exchange.respond(report(replays.start(pipeline, from, to)));
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, e.getMessage());
    } catch (TooManyReplaysException e) {
      throw new ApiException(429, e.getMessage());
    }
  }

  /** Returns the progress of a replay. */
  public void show(Exchange exchange) throws IOException {
    String table = table(exchange);
    exchange.respond(report(replays.find(table).orElseThrow(() -> unknown(table))));
  }

  /** Stops a replay and drops its tables, including those of an earlier process. */
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
    exchange.respond(Map.of("dropped", dropped));
  }

  private static String table(Exchange exchange) {
    return exchange.parameter("table").orElseThrow(() -> new ApiException(400, "table: missing"));
  }

  private static ApiException unknown(String table) {
    return new ApiException(404, "no replay into table " + table + ", or already dropped");
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
