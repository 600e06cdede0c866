package io.millrace.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.server.NullFlows;
import io.millrace.server.access.AccessToken;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.api.HttpServer;
import io.millrace.server.api.QueriesConfig;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.ObjectsConfig;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.iceberg.TableCatalog;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Files;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.rest.RESTCatalog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The catalog as read by Iceberg's own client, and requests that it rejects. */
class IcebergEndpointTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOKEN = "0123456789abcdef";
  private static final TableIdentifier FLOWS =
      TableIdentifier.of(TableCatalog.NAMESPACE, Store.FLOWS);
  private static final int ROWS = 100;
  private static final int COMMITS = 60;

  @TempDir Path directory;
  private DuckDbStore store;
  private FlowTable table;
  private HttpServer server;
  private long next;

  /** Reads local files without Hadoop; created by its public constructor. */
  public static final class ReadFiles implements FileIO {
    private static final long serialVersionUID = 1L;

    @Override
    public InputFile newInputFile(String location) {
      return Files.localInput(location.replaceFirst("^file://", ""));
    }

    @Override
    public OutputFile newOutputFile(String location) {
      throw new UnsupportedOperationException(location);
    }

    @Override
    public void deleteFile(String location) {
      throw new UnsupportedOperationException(location);
    }
  }

  @BeforeEach
  void start() throws IOException {
    store = new DuckDbStore(directory, StoreConfig.defaults());
    table = store.table(Store.FLOWS, new FlowSchema(List.of()));
    server = start(new HttpConfig("127.0.0.1", 0, 2_048));
  }

  private HttpServer start(HttpConfig config) throws IOException {
    HttpServer started =
        new HttpServer(config)
            .iceberg(
                new IcebergEndpoint(TableCatalog.ofStore(directory, ObjectsConfig.defaults())));
    started.start();
    return started;
  }

  @AfterEach
  void stop() {
    server.close();
    store.close();
  }

  private static RESTCatalog catalog(HttpServer server, Map<String, String> more) {
    RESTCatalog catalog = new RESTCatalog();
    Map<String, String> properties = new HashMap<>(more);
    properties.put(CatalogProperties.URI, server.url() + HttpServer.ICEBERG);
    properties.put(CatalogProperties.FILE_IO_IMPL, ReadFiles.class.getName());
    catalog.initialize("millrace", properties);
    return catalog;
  }

  private static FlowBlock block(long offset) {
    FlowBlock block = NullFlows.of(ROWS);
    for (int row = 0; row < ROWS; row++) {
      block.longs(FlowColumn.TIME)[row] = 1_700_000_000_000_000L + offset;
      block.longs(FlowColumn.BYTES)[row] = 100;
    }
    block.logPosition(0, offset);
    return block;
  }

  /** Stores one log value and commits it. */
  private void commit(FlowWriter writer) throws IOException {
    writer.append(block(next));
    next++;
    Frontier covered = new Frontier(Map.of(0, next));
    writer.seal(next, covered);
    writer.sync();
    writer.commit(next, covered);
  }

  private static long rows(Table table) throws IOException {
    long rows = 0;
    try (CloseableIterable<FileScanTask> files = table.newScan().planFiles()) {
      for (FileScanTask file : files) {
        rows += file.file().recordCount();
      }
    }
    return rows;
  }

  @Test
  void clientsSeeTheNewestSnapshotWhileCommitsGoOn() throws Exception {
    AtomicLong committed = new AtomicLong();
    try (RESTCatalog catalog = catalog(server, Map.of());
        FlowWriter writer = table.writer()) {
      CompletableFuture<Void> commits =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int i = 0; i < COMMITS; i++) {
                    commit(writer);
                    committed.addAndGet(ROWS);
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      Table held = catalog.loadTable(FLOWS);
      for (boolean isLast = false; !isLast; ) {
        isLast = commits.isDone();
        long before = committed.get();
        Table loaded = catalog.loadTable(FLOWS);
        held.refresh();
        assertThat(rows(loaded)).isBetween(before, committed.get() + ROWS);
        assertThat(rows(held)).isGreaterThanOrEqualTo(before);
      }
      commits.join();
      assertThat(rows(catalog.loadTable(FLOWS))).isEqualTo(COMMITS * ROWS);
      held.refresh();
      assertThat(held.currentSnapshot().summary()).containsKey("millrace.checkpoint");
    }
  }

  @Test
  void clientsListNamespacesAndTables() throws Exception {
    try (RESTCatalog catalog = catalog(server, Map.of())) {
      Namespace namespace = Namespace.of(TableCatalog.NAMESPACE);
      assertThat(catalog.listNamespaces()).containsExactly(namespace);
      assertThat(catalog.listNamespaces(namespace)).isEmpty();
      assertThat(catalog.namespaceExists(namespace)).isTrue();
      assertThat(catalog.namespaceExists(Namespace.of("other"))).isFalse();
      assertThat(catalog.loadNamespaceMetadata(namespace)).isEmpty();
      assertThat(catalog.listTables(namespace))
          .containsExactly(FLOWS, TableIdentifier.of(namespace, "names"));
      assertThat(catalog.tableExists(FLOWS)).isTrue();
      assertThat(catalog.tableExists(TableIdentifier.of(namespace, "other"))).isFalse();
      assertThat(catalog.listViews(namespace)).isEmpty();
      assertThatThrownBy(() -> catalog.listTables(Namespace.of("other")))
          .isInstanceOf(NoSuchNamespaceException.class);
      assertThatThrownBy(() -> catalog.loadTable(TableIdentifier.of(namespace, "other")))
          .isInstanceOf(NoSuchTableException.class);
      assertThatThrownBy(() -> catalog.loadTable(TableIdentifier.of("other", "flows")))
          .isInstanceOf(NoSuchNamespaceException.class);
    }
  }

  @Test
  void nothingIsWritten() throws Exception {
    try (RESTCatalog catalog = catalog(server, Map.of())) {
      Table loaded = catalog.loadTable(FLOWS);
      assertThatThrownBy(() -> loaded.updateProperties().set("a", "b").commit())
          .isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(() -> catalog.dropTable(FLOWS))
          .isInstanceOf(UnsupportedOperationException.class);
    }
    for (String method : List.of("POST", "DELETE", "PUT")) {
      HttpResponse<String> response = send(server, method, "/v1/namespaces/millrace/tables/flows");
      assertThat(response.statusCode()).isEqualTo(406);
      JsonNode error = JSON.readTree(response.body()).path("error");
      assertThat(error.path("type").asText()).isEqualTo("UnsupportedOperationException");
      assertThat(error.path("code").asInt()).isEqualTo(406);
      assertThat(error.path("message").asText()).contains("read-only");
    }
    assertThat(TableCatalog.ofStore(directory, ObjectsConfig.defaults()).names())
        .containsExactly("flows", "names");
  }

  private static HttpResponse<String> send(HttpServer server, String method, String path)
      throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(URI.create(server.url() + HttpServer.ICEBERG + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void unknownPathsAreErrorsOfTheProtocol() throws Exception {
    for (String path :
        List.of(
            "/v1/",
            "/v1/transactions",
            "/v1/namespaces/millrace/views",
            "/v1/namespaces/millrace/tables/..",
            "/v1/namespaces/millrace/tables/.%252e",
            "/v1/namespaces/millrace/tables/flows/plan")) {
      HttpResponse<String> response = send(server, "GET", path);
      assertThat(response.statusCode()).as(path).isIn(400, 404);
      JsonNode error = JSON.readTree(response.body()).path("error");
      assertThat(error.path("code").asInt()).as(path).isEqualTo(response.statusCode());
      assertThat(error.path("message").asText()).as(path).isNotEmpty();
    }
    assertThat(send(server, "HEAD", "/v1/namespaces/other").statusCode()).isEqualTo(404);
    assertThat(send(server, "GET", "/v1/namespaces?parent=other").statusCode()).isEqualTo(404);
  }

  /** Queries on another engine wait for the catalog, so they must not block it. */
  @Test
  void queriesDoNotUseTheThreadsOfTheCatalog() throws Exception {
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    HttpConfig config = new HttpConfig("127.0.0.1", 0, 2_048).withQueries(new QueriesConfig(4, 1));
    try (HttpServer busy =
        new HttpServer(config)
            .iceberg(new IcebergEndpoint(TableCatalog.ofStore(directory, ObjectsConfig.defaults())))
            .route(
                "GET",
                "/api/v1/wait",
                exchange -> {
                  began.countDown();
                  end.await();
                  exchange.respond(Map.of());
                })) {
      busy.start();
      URI waiting = URI.create(busy.url() + "/api/v1/wait");
      var query =
          CLIENT.sendAsync(
              HttpRequest.newBuilder(waiting).build(), HttpResponse.BodyHandlers.discarding());
      began.await();
      assertThat(
              CLIENT
                  .send(
                      HttpRequest.newBuilder(waiting).build(),
                      HttpResponse.BodyHandlers.discarding())
                  .statusCode())
          .isEqualTo(429);
      assertThat(send(busy, "GET", "/v1/namespaces/millrace/tables/flows").statusCode())
          .isEqualTo(200);
      end.countDown();
      assertThat(query.join().statusCode()).isEqualTo(200);
    }
  }

  @Test
  void theTokenIsRequired() throws Exception {
    HttpConfig config = new HttpConfig("127.0.0.1", 0, 2_048).withToken(AccessToken.of(TOKEN));
    try (HttpServer secured = start(config)) {
      try (RESTCatalog catalog = catalog(secured, Map.of("token", TOKEN))) {
        assertThat(catalog.tableExists(FLOWS)).isTrue();
      }
      assertThatThrownBy(() -> catalog(secured, Map.of()).close())
          .isInstanceOf(NotAuthorizedException.class)
          .hasMessageContaining("missing or wrong token");
    }
  }
}
