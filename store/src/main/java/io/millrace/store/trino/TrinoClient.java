package io.millrace.store.trino;

import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.TrinoConfig;
import io.millrace.store.iceberg.TableCatalog;
import io.trino.client.ClientCapabilities;
import io.trino.client.ClientSession;
import io.trino.client.StatementClient;
import io.trino.client.StatementClientFactory;
import java.net.URI;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;

/** Runs queries on Trino, in UTC, with the instance's tables as default schema. Thread-safe. */
public final class TrinoClient implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(5);

  /** Trino holds a request for a second while it has no rows. */
  private static final Duration ANSWER = Duration.ofSeconds(30);

  /** Without it, times would have milliseconds. */
  private static final Set<String> CAPABILITIES =
      Set.of(ClientCapabilities.PARAMETRIC_DATETIME.name());

  private final TrinoConfig config;
  private final OkHttpClient http =
      new OkHttpClient.Builder().connectTimeout(CONNECT).readTimeout(ANSWER).build();

  /** Creates a client, which connects for each query. */
  public TrinoClient(TrinoConfig config) {
    this.config = config;
  }

  /**
   * Starts a query.
   *
   * @param limit limit of its total time
   * @param rowLimit maximum number of rows
   * @throws QueryException if it fails, with Trino's message, or Trino cannot be reached
   */
  public TrinoRows query(String sql, Duration limit, long rowLimit, Cancellation cancellation) {
    return run(sql, Map.of(), limit, rowLimit, cancellation);
  }

  /** Columns of a query, without running it: {@code DESCRIBE OUTPUT}. */
  TrinoRows describe(String sql, Duration limit) {
    return run("DESCRIBE OUTPUT q", Map.of("q", sql), limit, Long.MAX_VALUE, new Cancellation());
  }

  private TrinoRows run(
      String sql,
      Map<String, String> prepared,
      Duration limit,
      long rowLimit,
      Cancellation cancellation) {
    ClientSession session =
        ClientSession.builder()
            .preparedStatements(prepared)
            .server(URI.create(config.url()))
            .user(Optional.of(config.user()))
            .source("millrace")
            .catalog(config.catalog())
            .schema(TableCatalog.NAMESPACE)
            .timeZone(ZoneOffset.UTC)
            .locale(Locale.ROOT)
            .properties(Map.of("query_max_run_time", Math.max(1, limit.toMillis()) + "ms"))
            .clientRequestTimeout(
                new io.airlift.units.Duration(limit.toMillis() + 1.0, TimeUnit.MILLISECONDS))
            .compressionDisabled(true)
            .build();
    StatementClient client;
    try {
      client =
          StatementClientFactory.newStatementClient(http, session, sql, Optional.of(CAPABILITIES));
    } catch (RuntimeException e) {
      throw unreachable(e);
    }
    return new TrinoRows(client, this, rowLimit, limit, cancellation);
  }

  QueryException unreachable(RuntimeException e) {
    return new QueryException(
        Reason.BUSY,
        "Trino at %s does not respond: %s; see store.trino.url"
            .formatted(config.url(), rootMessage(e)),
        QueryException.NO_POSITION);
  }

  private static String rootMessage(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage();
  }

  @Override
  public void close() {
    http.dispatcher().executorService().shutdown();
    http.connectionPool().evictAll();
  }
}
