package io.millrace.server.runtime;

import io.millrace.datasets.JoinedField;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.datasets.DatasetWatch;
import io.millrace.pipelines.flows.FlowJoiner;
import io.millrace.server.alerts.AlertsEndpoint;
import io.millrace.server.api.ApiException;
import io.millrace.server.api.DescriptionEndpoint;
import io.millrace.server.api.Exchange;
import io.millrace.server.api.FilterEndpoint;
import io.millrace.server.api.HttpServer;
import io.millrace.server.api.ImportEndpoint;
import io.millrace.server.api.LedgerEndpoint;
import io.millrace.server.api.ParquetEndpoint;
import io.millrace.server.api.PipelineEndpoint;
import io.millrace.server.api.ReplayEndpoint;
import io.millrace.server.api.SeriesEndpoint;
import io.millrace.server.api.SqlEndpoint;
import io.millrace.server.api.TopEndpoint;
import io.millrace.server.backup.BackupEndpoint;
import io.millrace.server.catalog.IcebergEndpoint;
import io.millrace.server.metrics.MetricsText;
import io.millrace.server.search.SearchEndpoint;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.iceberg.TableCatalog;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Routes of the API.
 *
 * @param store store with the embedded engine, which has all tables
 */
record ApiRoutes(Millrace millrace, Store store, MillraceConfig config, MetricsReport metrics) {
  void addTo(HttpServer http) {
    ReplayEndpoint replay = new ReplayEndpoint(millrace.replays());
    ParquetEndpoint parquet = new ParquetEndpoint(store);
    ImportEndpoint files = new ImportEndpoint(millrace.imports());
    BackupEndpoint backup = new BackupEndpoint(millrace::backUp, store);
    http.route("GET", "/api/v1/search", new SearchEndpoint(store, () -> millrace.table().schema()))
        .route("GET", "/api/v1/filter", new FilterEndpoint(() -> millrace.table().schema()))
        .route(
            "GET",
            "/api/v1/alerts",
            new AlertsEndpoint(store, millrace.pipelines(), config.alerts().resolveAfter()))
        .route("GET", "/api/v1/status", this::status)
        .route("POST", "/api/v1/replay", replay::start)
        .route("GET", "/api/v1/replay", replay::show)
        .route("DELETE", "/api/v1/replay", replay::drop)
        .route("GET", "/api/v1/export", parquet::export)
        .route("POST", "/api/v1/import", parquet::add)
        .route("POST", "/api/v1/import/file", files::upload)
        .route("GET", "/api/v1/import/file", files::status)
        .route("POST", "/api/v1/backup", backup::make)
        .route("DELETE", "/api/v1/backup", backup::drop)
        .route("GET", "/api/v1/ledger", new LedgerEndpoint(millrace::ledger, millrace::facts))
        .route("GET", "/api/v1/datasets", this::datasets)
        .route("GET", "/api/v1/dead-letters", this::deadLetters)
        .route("GET", "/api/v1/openapi.yaml", new DescriptionEndpoint(config.pipelines()))
        .route("GET", "/health", this::health)
        .route("GET", "/metrics", this::metrics);
    http.sections(config.pipelines());
    for (Pipeline pipeline : config.pipelines()) {
      for (ApiEndpoint endpoint : pipeline.endpoints()) {
        http.route(
            "GET",
            "/api/v1/" + pipeline.name() + (endpoint.path().isEmpty() ? "" : "/" + endpoint.path()),
            new PipelineEndpoint(pipeline, endpoint, store));
      }
    }
  }

  /** Adds the routes that work while the process starts. */
  static void addStarting(HttpServer http, Supplier<String> stage, long startedMillis) {
    http.route(
            "GET",
            "/api/v1/status",
            exchange -> exchange.respond(StatusReport.ofStart(stage.get(), startedMillis)))
        .route(
            "GET",
            "/health",
            exchange -> exchange.respond(Map.of("job", "starting", "parts", List.of())))
        .route("GET", "/metrics", exchange -> text(exchange, MetricsReport.ofStart(startedMillis)));
  }

  /**
   * Adds the routes that need only the store.
   *
   * @param queries store with the engine for queries of users
   * @param directory directory of the store
   * @param unsampled supplies the number of rows with an unknown sampling rate
   */
  static void addQueries(
      HttpServer http,
      Store queries,
      StoreConfig config,
      Path directory,
      QueryTimes times,
      LongSupplier unsampled) {
    http.route("POST", "/api/v1/sql", times.timed("sql", new SqlEndpoint(queries, config)))
        .route("GET", "/api/v1/top", times.timed("top", new TopEndpoint(queries, unsampled)))
        .route(
            "GET", "/api/v1/series", times.timed("series", new SeriesEndpoint(queries, unsampled)))
        .iceberg(new IcebergEndpoint(TableCatalog.ofStore(directory, config.objects())));
  }

  private void status(Exchange exchange) throws IOException {
    Optional<String> with = exchange.parameter("with");
    if (with.isPresent() && !with.get().equals("cluster")) {
      throw new ApiException(400, "with: " + with.get() + ": unknown part, expected cluster");
    }
    exchange.respond(with.isPresent() ? millrace.statusWithCluster() : millrace.status());
  }

  private void datasets(Exchange exchange) throws IOException {
    Map<String, Long> counters = millrace.job().counters();
    exchange.respond(
        Map.of("rows", millrace.datasets().stream().map(each -> dataset(each, counters)).toList()));
  }

  private static Map<String, Object> dataset(
      DatasetWatch.Status dataset, Map<String, Long> counters) {
    String name = dataset.config().name();
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", name);
    map.put("kind", dataset.config().kind().name().toLowerCase(Locale.ROOT));
    map.put("files", dataset.config().files().stream().map(Path::toString).toList());
    map.put("columns", dataset.config().joined().stream().map(JoinedField::columnName).toList());
    map.put("version", "%016x".formatted(dataset.fingerprint()));
    map.put("holds_from", dataset.holdsFrom().map(Instant::toString).orElse(null));
    map.put("entries", dataset.entries());
    map.put("heap_bytes", dataset.heapBytes());
    map.put("lookups", counters.getOrDefault("join." + FlowJoiner.LOOKUPS + name, 0L));
    map.put("hits", counters.getOrDefault("join." + FlowJoiner.HITS + name, 0L));
    map.put("problem", dataset.problem().orElse(null));
    return map;
  }

  private void deadLetters(Exchange exchange) throws IOException {
    int n = exchange.intParameter("n", 10, 1, 100);
    exchange.respond(Map.of("rows", new DeadLetterList(millrace.bootstrapServers()).newest(n)));
  }

  /**
   * Responds to health checks: 503 if a part has stopped, so that a probe only needs the status
   * code.
   */
  private void health(Exchange exchange) throws IOException {
    List<String> stopped =
        TopEndpoint.flag(exchange, "ended")
            ? millrace.health().ended()
            : millrace.health().stopped();
    if (!stopped.isEmpty()) {
      throw new ApiException(
          503,
          exchange.isTrusted()
              ? String.join("; ", stopped)
              : "a part of the process has stopped; send the token to see which");
    }
    Map<String, Object> health = StatusReport.health(millrace);
    if (!exchange.isTrusted()) {
      health.put("parts", List.of());
    }
    exchange.respond(health);
  }

  private void metrics(Exchange exchange) throws IOException {
    text(exchange, metrics.text());
  }

  private static void text(Exchange exchange, String text) throws IOException {
    try (OutputStream out = exchange.respond(MetricsText.MEDIA_TYPE)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }
}
