package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.StoreConfig;
import io.millrace.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries that fail after some rows have been sent. */
class BrokenAnswerTest {
  /** More rows than all buffers between store and client hold. */
  private static final long MANY = 200_000;

  private static final FailingStore STORE = new FailingStore();
  private static HttpServer server;

  @BeforeAll
  static void start() throws IOException {
    server =
        new HttpServer(new HttpConfig("127.0.0.1", 0, 2_048))
            .route("POST", "/api/v1/sql", new SqlEndpoint(STORE, StoreConfig.defaults()));
    server.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private HttpResponse<byte[]> ask(String format) throws IOException, InterruptedException {
    String body = "{\"sql\": \"SELECT 1\", \"format\": \"" + format + "\"}";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/sql"))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "csv", "arrow"})
  void aFailureHalfWayBreaksTheConnection(String format) {
    STORE.failure = new QueryException(QueryException.Reason.TIMEOUT, "too long", -1);
    STORE.rowsBefore = MANY;
    assertThatThrownBy(() -> ask(format)).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "csv", "arrow"})
  void anUnexpectedFailureBreaksTheConnectionToo(String format) {
    STORE.failure = new IllegalStateException("a bug");
    STORE.rowsBefore = MANY;
    assertThatThrownBy(() -> ask(format)).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "csv", "arrow"})
  void aFailureAfterSomeRowsNeverLooksComplete(String format) {
    STORE.failure = new QueryException(QueryException.Reason.TIMEOUT, "too long", -1);
    STORE.rowsBefore = 3;
    int status;
    try {
      status = ask(format).statusCode();
    } catch (IOException | InterruptedException e) {
      status = -1; // the connection broke: told as well
    }
    assertThat(status).isIn(408, -1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "csv", "arrow"})
  void aFailureBeforeTheFirstRowIsAnErrorWithItsMessage(String format) throws Exception {
    STORE.failure = new QueryException(QueryException.Reason.WRONG, "Conversion Error", 7);
    STORE.rowsBefore = 0;
    HttpResponse<byte[]> response = ask(format);
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json");
    assertThat(new String(response.body(), StandardCharsets.UTF_8))
        .contains("\"message\":\"Conversion Error\"", "\"position\":7");
  }

  @Test
  void theServerContinues() throws Exception {
    STORE.failure = new QueryException(QueryException.Reason.TIMEOUT, "too long", -1);
    STORE.rowsBefore = MANY;
    for (int i = 0; i < 50; i++) { // more than the server has threads
      assertThatThrownBy(() -> ask("json")).isInstanceOf(IOException.class);
    }
    STORE.failure = null;
    STORE.rowsBefore = 2;
    assertThat(new String(ask("csv").body(), StandardCharsets.UTF_8)).isEqualTo("n\r\n1\r\n2\r\n");
    // The last byte of a response reaches the client before the server closes the query.
    Await.until("every query to be closed", () -> STORE.open.get() == 0);
  }

  /** Returns numbers from 1 on, then fails. */
  private static final class FailingStore extends UnaskedStore {
    private volatile long rowsBefore;
    private volatile RuntimeException failure;
    private final AtomicInteger open = new AtomicInteger();

    @Override
    public QueryResult query(QueryRequest request, Cancellation cancellation) {
      open.incrementAndGet();
      return new QueryResult() {
        private long row;

        @Override
        public List<Column> columns() {
          return List.of(new Column("n", "BIGINT", Kind.INTEGER));
        }

        @Override
        public boolean next() {
          if (row == rowsBefore && failure != null) {
            throw failure;
          }
          return row++ < rowsBefore;
        }

        @Override
        public Object value(int column) {
          return row;
        }

        @Override
        public boolean truncated() {
          return false;
        }

        @Override
        public void close() {
          open.decrementAndGet();
        }
      };
    }
  }
}
