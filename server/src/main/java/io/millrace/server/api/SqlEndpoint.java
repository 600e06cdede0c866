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
import java.util.Set;
import java.util.TreeSet;

/**
 * {@code POST /api/v1/sql}: one read-only query.
 *
 * <p>Body: {@code {"sql": "SELECT …", "limit": rows, "timeout": seconds, "scan": true}}; {@code
 * scan} reads the rows even where rollups have the answer. The answer is JSON unless {@code
 * "format"} or the {@code Accept} header asks for CSV ({@code text/csv}) or Arrow ({@code
 * application/vnd.apache.arrow.stream}), and is written while the query runs. A query that fails
 * before its first row answers with an error; one that fails later breaks the connection, so that a
 * client never takes the rows so far for all; so does one in CSV or Arrow with more rows than the
 * store's limit, unless the client set a smaller one. It is cancelled when its client has gone.
 */
public final class SqlEndpoint implements Endpoint {
  private static final Set<String> KEYS = Set.of("sql", "limit", "timeout", "scan", "format");

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
    body.fieldNames().forEachRemaining(SqlEndpoint::requireKnown);
    String sql = body.path("sql").isTextual() ? body.path("sql").asText() : "";
    if (sql.isBlank()) {
      throw new ApiException(400, "there is no \"sql\" in the body, send {\"sql\": \"SELECT …\"}");
    }
    String mediaType = RowsAnswer.mediaType(exchange, format(body));
    long started = System.nanoTime();
    Cancellation cancellation = new Cancellation();
    exchange.work();
    try (ClientWatch watch = exchange.watch(cancellation::cancel);
        QueryResult result = store.query(request(sql, body), cancellation)) {
      // The first row, or its absence, may be an error: seen before the status is sent.
      boolean hasRow = result.next();
      boolean mayBeCut =
          body.hasNonNull("limit") && body.path("limit").asLong() <= limits.queryRowLimit();
      RowsAnswer.write(exchange, mediaType, result, hasRow, mayBeCut, started, store.rowsFrom());
    } catch (QueryException e) {
      throw ApiException.of(e);
    }
  }

  /** Refuses other keys: a limit whose key is misspelt would not be applied. */
  private static void requireKnown(String key) {
    if (!KEYS.contains(key)) {
      throw new ApiException(
          400, key + ": is not known here, there are " + String.join(", ", new TreeSet<>(KEYS)));
    }
  }

  private QueryRequest request(String sql, JsonNode body) {
    return new QueryRequest(sql, time(body), rows(body), scan(body));
  }

  private Duration time(JsonNode body) {
    Duration most = limits.queryTimeLimit();
    if (!body.hasNonNull("timeout")) {
      return most;
    }
    JsonNode asked = body.path("timeout");
    if (!asked.isNumber() || asked.asDouble() <= 0) {
      throw new ApiException(400, "timeout: " + asked + " is not a number of seconds above 0");
    }
    Duration time = Duration.ofMillis(Math.max(1, (long) (asked.asDouble() * 1_000)));
    return time.compareTo(most) < 0 ? time : most;
  }

  private long rows(JsonNode body) {
    if (!body.hasNonNull("limit")) {
      return limits.queryRowLimit();
    }
    JsonNode asked = body.path("limit");
    if (!asked.canConvertToLong() || !asked.isIntegralNumber() || asked.asLong() < 0) {
      throw new ApiException(400, "limit: " + asked + " is not a whole number of rows from 0 on");
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
      throw new ApiException(400, "scan: " + asked + " is neither true nor false");
    }
    return asked.asBoolean();
  }
}
