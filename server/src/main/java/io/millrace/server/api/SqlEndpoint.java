package io.millrace.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/**
 * {@code POST /api/v1/sql}: one read-only query.
 *
 * <p>Body: {@code {"sql": "SELECT …", "limit": rows, "timeout": seconds, "scan": true}}; {@code
 * scan} reads the rows even where rollups have the answer. The answer is JSON unless {@code
 * "format"} or the {@code Accept} header asks for CSV ({@code text/csv}) or Arrow ({@code
 * application/vnd.apache.arrow.stream}), and is written while the query runs. A query that fails
 * before its first row answers with an error; one that fails later breaks the connection, so that a
 * client never takes the rows so far for all.
 */
public final class SqlEndpoint implements Endpoint {
  static final String ARROW = "application/vnd.apache.arrow.stream";
  private static final String CSV = "text/csv";

  private final Store store;
  private final StoreConfig limits;

  /** Queries of the store, within the limits. */
  public SqlEndpoint(Store store, StoreConfig limits) {
    this.store = store;
    this.limits = limits;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    JsonNode body = exchange.body();
    String sql = body.path("sql").asText("");
    if (sql.isBlank()) {
      throw new ApiException(400, "there is no \"sql\" in the body, send {\"sql\": \"SELECT …\"}");
    }
    long started = System.nanoTime();
    try (QueryResult result = store.query(request(sql, body))) {
      String format = format(body, exchange);
      // The first row, or its absence, may be an error: seen before the status is sent.
      boolean hasRow = result.next();
      // Closed only when all is well: an answer that breaks off must not look like a whole one.
      OutputStream out = exchange.answer(mediaType(format));
      switch (format) {
        case "csv" -> CsvResult.write(result, hasRow, out);
        case "arrow" -> ArrowResult.write(result, hasRow, out);
        default -> JsonResult.write(result, hasRow, started, out);
      }
      out.close();
    } catch (QueryException e) {
      int status =
          switch (e.reason()) {
            case WRONG -> 400;
            case NOT_ALLOWED -> 403;
            case TIMEOUT -> 408;
            case CLOSED -> 503;
          };
      throw new ApiException(status, e.getMessage(), e.position());
    }
  }

  private QueryRequest request(String sql, JsonNode body) {
    return new QueryRequest(sql, time(body), rows(body), body.path("scan").asBoolean());
  }

  private Duration time(JsonNode body) {
    Duration most = limits.queryTimeLimit();
    if (!body.has("timeout")) {
      return most;
    }
    double seconds = body.path("timeout").asDouble();
    if (seconds <= 0) {
      throw new ApiException(400, "timeout: " + seconds + " seconds is not above 0");
    }
    Duration asked = Duration.ofMillis(Math.max(1, (long) (seconds * 1_000)));
    return asked.compareTo(most) < 0 ? asked : most;
  }

  private long rows(JsonNode body) {
    long rows = body.path("limit").asLong(limits.queryRowLimit());
    if (rows < 0) {
      throw new ApiException(400, "limit: " + rows + " rows is less than 0");
    }
    return Math.min(rows, limits.queryRowLimit());
  }

  private static String format(JsonNode body, Exchange exchange) {
    String accept = exchange.header("Accept").orElse("");
    String asked = accept.contains(ARROW) ? "arrow" : accept.contains(CSV) ? "csv" : "json";
    String format = body.path("format").asText(asked);
    if (!format.equals("json") && !format.equals("csv") && !format.equals("arrow")) {
      throw new ApiException(400, "format: " + format + " is not one of json, csv, arrow");
    }
    return format;
  }

  private static String mediaType(String format) {
    return switch (format) {
      case "csv" -> CSV + "; charset=utf-8";
      case "arrow" -> ARROW;
      default -> "application/json";
    };
  }
}
