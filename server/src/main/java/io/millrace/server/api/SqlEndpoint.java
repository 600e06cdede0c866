package io.millrace.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreEngine;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * {@code POST /api/v1/sql}: one read-only query.
 *
 * <p>Body: {@code {"sql": "SELECT …", "limit": rows, "timeout": seconds, "scan": true}}; {@code
 * scan} bypasses rollups, and {@code "engine": "duckdb"} selects the embedded database. The
 * response is JSON unless {@code "format"} or the {@code Accept} header selects CSV ({@code
 * text/csv}) or Arrow ({@code application/vnd.apache.arrow.stream}), and is streamed. A query that
 * fails before its first row returns an error. A later failure breaks the connection, so that a
 * partial result does not look complete. So does a CSV or Arrow result with more rows than the
 * store's limit, unless the client set a smaller one. The query is cancelled when its client
 * disconnects.
 */
public final class SqlEndpoint implements Endpoint {
  private static final Set<String> KEYS =
      Set.of("sql", "limit", "timeout", "scan", "format", "engine");

  private final Store store;
  private final StoreConfig limits;

  /**
   * Creates an endpoint that queries this store.
   *
   * @param limits limits of queries
   */
  public SqlEndpoint(Store store, StoreConfig limits) {
    this.store = store;
    this.limits = limits;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    JsonNode body = exchange.body();
    body.fieldNames().forEachRemaining(SqlEndpoint::requireKnown);
    String sql = body.path("sql").isTextual() ? body.path("sql").asText() : "";
    if (sql.isBlank()) {
      throw new ApiException(400, "sql: missing, expected a body such as {\"sql\": \"SELECT …\"}");
    }
    String mediaType = RowsResponse.mediaType(exchange, format(body));
    long started = System.nanoTime();
    Cancellation cancellation = new Cancellation();
    try (ClientWatch watch = exchange.awaitWorker(cancellation);
        QueryResult result = engine(body).query(request(sql, body, mediaType), cancellation)) {
      // Reads the first row before sending the status, because that may fail.
      boolean hasRow = result.next();
      boolean mayBeCut =
          body.hasNonNull("limit") && body.path("limit").asLong() <= limits.queryRowLimit();
      RowsResponse.write(exchange, mediaType, result, hasRow, mayBeCut, started, store.rowsFrom());
    } catch (QueryException e) {
      throw ApiException.of(e);
    }
  }

  private static void requireKnown(String key) {
    if (!KEYS.contains(key)) {
      throw new ApiException(
          400, key + ": unknown key, expected one of " + String.join(", ", new TreeSet<>(KEYS)));
    }
  }

  private Store engine(JsonNode body) {
    JsonNode asked = body.path("engine");
    if (!body.hasNonNull("engine") || asked.asText().equals(word(limits.engine()))) {
      return store;
    }
    if (asked.asText().equals(word(StoreEngine.DUCKDB))) {
      return store.embedded();
    }
    throw new ApiException(
        400,
        "engine: "
            + asked.asText()
            + ": unknown, expected "
            + (limits.engine() == StoreEngine.DUCKDB
                ? "duckdb; see store.engine"
                : "duckdb or " + word(limits.engine())));
  }

  private static String word(StoreEngine engine) {
    return engine.name().toLowerCase(Locale.ROOT);
  }

  private QueryRequest request(String sql, JsonNode body, String mediaType) {
    QueryRequest request = new QueryRequest(sql, time(body), rows(body), scan(body));
    return mediaType.equals(MediaTypes.ARROW) ? request.withLists() : request;
  }

  private Duration time(JsonNode body) {
    Duration max = limits.queryTimeLimit();
    if (!body.hasNonNull("timeout")) {
      return max;
    }
    JsonNode asked = body.path("timeout");
    if (!asked.isNumber() || asked.asDouble() <= 0) {
      throw new ApiException(400, "timeout: " + asked + " is invalid, expected seconds above 0");
    }
    Duration time = Duration.ofMillis(Math.max(1, (long) (asked.asDouble() * 1_000)));
    return time.compareTo(max) < 0 ? time : max;
  }

  private long rows(JsonNode body) {
    if (!body.hasNonNull("limit")) {
      return limits.queryRowLimit();
    }
    JsonNode asked = body.path("limit");
    if (!asked.canConvertToLong() || !asked.isIntegralNumber() || asked.asLong() < 0) {
      throw new ApiException(
          400, "limit: " + asked + " is invalid, expected an integer of at least 0");
    }
    return Math.min(asked.asLong(), limits.queryRowLimit());
  }

  private static String format(JsonNode body) {
    JsonNode asked = body.path("format");
    return asked.isTextual() || !body.hasNonNull("format") ? asked.asText("") : asked.toString();
  }

  private static boolean scan(JsonNode body) {
    JsonNode asked = body.path("scan");
    if (body.hasNonNull("scan") && !asked.isBoolean()) {
      throw new ApiException(400, "scan: " + asked + ": expected true or false");
    }
    return asked.asBoolean();
  }
}
