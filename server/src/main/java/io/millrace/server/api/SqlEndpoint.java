package io.millrace.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import java.io.IOException;
import java.time.Duration;

/**
 * {@code POST /api/v1/sql}: one read-only query.
 *
 * <p>Body: {@code {"sql": "SELECT …", "limit": rows, "timeout": seconds, "scan": true}}; {@code
 * scan} reads the rows even where rollups have the answer. The answer is JSON unless {@code
 * "format"} or the {@code Accept} header asks for CSV ({@code text/csv}) or Arrow ({@code
 * application/vnd.apache.arrow.stream}), and is written while the query runs. A query that fails
 * before its first row answers with an error; one that fails later breaks the connection, so that a
 * client never takes the rows so far for all. It is cancelled when its client has gone.
 */
public final class SqlEndpoint implements Endpoint {
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
    String mediaType = RowsAnswer.mediaType(exchange, body.path("format").asText(""));
    long started = System.nanoTime();
    Cancellation cancellation = new Cancellation();
    try (ClientWatch watch = exchange.watch(cancellation::cancel);
        QueryResult result = store.query(request(sql, body), cancellation)) {
      // The first row, or its absence, may be an error: seen before the status is sent.
      boolean hasRow = result.next();
      RowsAnswer.write(exchange, mediaType, result, hasRow, started, store.rowsFrom());
    } catch (QueryException e) {
      throw ApiException.of(e);
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
}
