package io.millrace.server.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.netty.NettyChannelBuilder;
import io.millrace.server.api.ClientRejection;
import io.millrace.server.api.ConnectionsConfig;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.api.QueriesConfig;
import io.millrace.server.api.TransfersConfig;
import io.millrace.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.impl.FlightSql.XdbcDataType;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streaming of rows: limits of number, rate and time, and cancellation of queries. */
class FlightStreamIT {
  /** Query that never ends and returns no row. */
  private static final String ENDLESS =
      "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c";

  /** Query with practically infinite rows. */
  private static final String ROWS_WITHOUT_END = "SELECT range AS n FROM range(1000000000000)";

  private static final int MANY = Boolean.getBoolean("millrace.long") ? 3_000_000 : 1_000_000;

  private static final FlightConfig SMALL =
      new FlightConfig(true, "127.0.0.1", 0, 3, 16 << 20); // little memory on purpose

  @TempDir Path directory;
  private FlightInstance instance;

  private void start(Duration time, long rows) throws Exception {
    instance =
        FlightInstance.start(
            directory, SMALL, FlightInstance.onLoopback(), FlightInstance.limits(time, rows));
  }

  private void startImpatient() throws Exception {
    start(FlightInstance.onLoopback().withTransfers(IMPATIENT));
  }

  private void start(HttpConfig http) throws Exception {
    instance =
        FlightInstance.start(
            directory,
            SMALL,
            http,
            FlightInstance.limits(Duration.ofMinutes(1), 1_000_000_000_000L));
  }

  @AfterEach
  void stop() {
    instance.close();
  }

  private void awaitNothingOpen() {
    Await.until("every query to end", () -> instance.listener().openQueries() == 0);
  }

  private static FlightStatusCode code(Throwable e) {
    Throwable cause = e;
    while (!(cause instanceof FlightRuntimeException)) {
      cause = cause.getCause();
    }
    return ((FlightRuntimeException) cause).status().code();
  }

  @Test
  void aMillionRowsPassThroughLittleMemory() throws Exception {
    start(Duration.ofMinutes(1), 5_000_000);
    long rows = 0;
    long sum = 0;
    try (Connection connection = instance.connect();
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT range AS n, 'some text to carry along ' || range AS s"
                    + " FROM range("
                    + MANY
                    + ")")) {
      while (result.next()) {
        sum += result.getLong(1);
        rows++;
        if (rows % 100_000 == 0) {
          assertThat(instance.listener().usedBytes()).isLessThanOrEqualTo(SMALL.memoryBytes());
        }
      }
    }
    assertThat(rows).isEqualTo(MANY);
    assertThat(sum).isEqualTo(MANY * (MANY - 1L) / 2);
    awaitNothingOpen();
    assertThat(instance.listener().usedBytes()).isZero();
    assertThat(instance.listener().peakBytes()).isLessThan(SMALL.memoryBytes());
  }

  @Test
  void aClientThatDoesNotReadMakesTheQueryWait() throws Exception {
    start(Duration.ofMinutes(1), 1_000_000_000_000L);
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = client(memory)) {
      FlightInfo info = client.execute(ROWS_WITHOUT_END);
      try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
        assertThat(stream.next()).isTrue();
        Await.until("the query to wait", () -> instance.listener().waitingQueries() == 1);
        assertThat(instance.listener().usedBytes()).isLessThan(SMALL.memoryBytes());
        assertThat(instance.listener().openQueries()).isEqualTo(1);
        stream.cancel("enough", null);
      }
      awaitNothingOpen();
    }
  }

  private static final TransfersConfig IMPATIENT =
      new TransfersConfig(1 << 20, Duration.ofMillis(300), Duration.ofMinutes(1));

  private FlightStream ask(FlightSqlClient client, String sql) {
    return client.getStream(client.execute(sql).getEndpoints().get(0).getTicket());
  }

  @Test
  void aClientThatReadsNothingIsDisconnectedAndReleased() throws Exception {
    startImpatient();
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = client(memory);
        FlightStream stalled = ask(client, ROWS_WITHOUT_END)) {
      assertThat(stalled.next()).isTrue();
      awaitNothingOpen();
      Await.until("its rows to be let go", () -> instance.listener().usedBytes() == 0);
      assertThat(instance.admission().rejected(ClientRejection.SLOW_READER)).isEqualTo(1);
      assertThat(instance.admission().recentRejections())
          .singleElement()
          .asString()
          .contains("127.0.0.1", "http.transfers.min-rate");
      assertThat(isAborted(stalled)).isTrue();
    }
  }

  /** A megabyte, which the transport can queue, but the client of the test cannot buffer. */
  private static final String FEW_ROWS = "SELECT range AS n FROM range(131072)";

  @Test
  void theRestOfAResponseIsReleasedIfItsClientReadsNothing() throws Exception {
    startImpatient();
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = clientWithLittleRoom(memory);
        FlightStream stalled = ask(client, FEW_ROWS)) {
      Await.until(
          "the query to end unread",
          () ->
              instance.listener().openQueries() == 0 && instance.listener().unreadResponses() == 1);
      Await.until("the rest to be let go", () -> instance.listener().unreadResponses() == 0);
      assertThat(isAborted(stalled)).isTrue();
    }
  }

  @Test
  void aClientWithManyUnreadResponsesIsRejected() throws Exception {
    start(FlightInstance.onLoopback().withQueries(new QueriesConfig(8, 2)));
    List<AutoCloseable> stalled = new ArrayList<>();
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient another = client(memory)) {
      for (int i = 1; i <= 4; i++) {
        FlightSqlClient client = clientWithLittleRoom(memory);
        FlightStream stream = ask(client, FEW_ROWS);
        stalled.add(0, client);
        stalled.add(0, stream);
        int unread = i;
        Await.until("it not to be taken", () -> instance.listener().unreadResponses() == unread);
      }
      assertThatThrownBy(() -> another.execute("SELECT 1"))
          .satisfies(e -> assertThat(code(e)).isEqualTo(FlightStatusCode.RESOURCE_EXHAUSTED))
          .hasMessageContaining("twice http.queries.max-per-client");
      assertThat(instance.admission().rejected(ClientRejection.UNREAD)).isEqualTo(1);
      assertThat(instance.admission().recentRejections())
          .singleElement()
          .asString()
          .contains("127.0.0.1", "unread");
      for (AutoCloseable each : stalled) {
        if (each instanceof FlightStream stream) {
          stream.cancel("enough", null);
        }
        each.close();
      }
      Await.until("the rest to be let go", () -> instance.listener().unreadResponses() == 0);
      assertThat(another.execute("SELECT 1").getEndpoints()).hasSize(1);
    }
  }

  @Test
  void connectionsBeyondTheLimitOfAClientAreClosed() throws Exception {
    ConnectionsConfig five = new ConnectionsConfig(16, 5, Duration.ofSeconds(30));
    start(FlightInstance.onLoopback().withConnections(five));
    List<Socket> open = new ArrayList<>();
    try {
      for (int i = 0; i < 5; i++) {
        open.add(connect());
        assertThat(isServed(open.get(i))).isTrue();
      }
      try (Socket tooMany = connect()) {
        assertThat(isServed(tooMany)).isFalse();
      }
      assertThat(instance.admission().rejected(ClientRejection.CONNECTIONS)).isEqualTo(1);
      assertThat(instance.admission().recentRejections())
          .singleElement()
          .asString()
          .contains("127.0.0.1", "http.connections.max-per-client");
      open.remove(0).close();
      Await.until(
          "another one to be taken",
          () -> {
            try (Socket again = connect()) {
              return isServed(again);
            } catch (IOException e) {
              return false;
            }
          });
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), instance.listener().port());
  }

  /** Whether the server sends its HTTP/2 settings, which come first. */
  private static boolean isServed(Socket socket) {
    try {
      socket.setSoTimeout(20_000);
      return socket.getInputStream().read() >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  private FlightSqlClient clientWithLittleRoom(RootAllocator memory) {
    return new FlightSqlClient(
        FlightGrpcUtils.createFlightClient(
            memory,
            NettyChannelBuilder.forAddress("127.0.0.1", instance.listener().port())
                .usePlaintext()
                .flowControlWindow(64 << 10)
                .build()));
  }

  /** Reads the rest of a stream; returns whether it is aborted. */
  private static boolean isAborted(FlightStream stream) {
    try {
      while (stream.next()) {
        assertThat(stream.getRoot().getRowCount()).isPositive();
      }
      return false;
    } catch (FlightRuntimeException e) {
      return true;
    }
  }

  @Test
  void tooManyRowsAreAnError() throws Exception {
    start(Duration.ofMinutes(1), 10_000);
    try (Connection connection = instance.connect();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(
              () -> {
                try (ResultSet rows = statement.executeQuery("SELECT * FROM range(10001)")) {
                  while (rows.next()) {
                    rows.getLong(1);
                  }
                }
              })
          .hasStackTraceContaining("exceeds 10000 rows (store.query-row-limit)");
      int n = 0;
      try (ResultSet rows = statement.executeQuery("SELECT * FROM range(10000)")) {
        while (rows.next()) {
          n++;
        }
      }
      assertThat(n).isEqualTo(10_000);
    }
  }

  @Test
  void aQueryEndsAtItsTimeLimit() throws Exception {
    start(Duration.ofMillis(300), 1_000_000_000_000L);
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = client(memory)) {
      FlightInfo counting = client.execute(ENDLESS);
      try (FlightStream stream = client.getStream(counting.getEndpoints().get(0).getTicket())) {
        assertThatThrownBy(stream::next)
            .satisfies(e -> assertThat(code(e)).isEqualTo(FlightStatusCode.TIMED_OUT))
            .hasMessageContaining("time limit");
      }
      FlightInfo unread = client.execute(ROWS_WITHOUT_END);
      try (FlightStream stream = client.getStream(unread.getEndpoints().get(0).getTicket())) {
        awaitNothingOpen(); // although nobody has read a row
        assertThatThrownBy(
                () -> {
                  while (stream.next()) {
                    assertThat(stream.getRoot().getRowCount()).isPositive();
                  }
                })
            .satisfies(e -> assertThat(code(e)).isEqualTo(FlightStatusCode.TIMED_OUT));
      }
    }
  }

  @Test
  void aQueryIsCancelledByItsTicket() throws Exception {
    start(Duration.ofMinutes(1), 1_000);
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = client(memory)) {
      FlightInfo info = client.execute(ENDLESS);
      try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
        Await.until("the query to run", () -> instance.listener().openQueries() == 1);
        assertThat(client.cancelFlightInfo(new CancelFlightInfoRequest(info)).getStatus())
            .isEqualTo(CancelStatus.CANCELLED);
        assertThatThrownBy(stream::next)
            .satisfies(e -> assertThat(code(e)).isEqualTo(FlightStatusCode.CANCELLED));
      }
      awaitNothingOpen();
      assertThat(client.cancelFlightInfo(new CancelFlightInfoRequest(info)).getStatus())
          .isEqualTo(CancelStatus.NOT_CANCELLABLE);
    }
  }

  @Test
  void disconnectingCancelsTheQuery() throws Exception {
    start(Duration.ofMinutes(1), 1_000);
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = client(memory)) {
      FlightInfo info = client.execute(ENDLESS);
      try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
        Await.until("the query to run", () -> instance.listener().openQueries() == 1);
        stream.cancel("gone", null);
      }
    }
    awaitNothingOpen();
  }

  @Test
  void closingAJdbcResultCancelsTheQuery() throws Exception {
    start(Duration.ofMinutes(1), 1_000_000_000_000L);
    try (Connection connection = instance.connect();
        Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery(ROWS_WITHOUT_END)) {
        assertThat(rows.next()).isTrue();
        assertThat(instance.listener().openQueries()).isEqualTo(1);
      }
      awaitNothingOpen();
    }
  }

  @Test
  void cancellingAJdbcStatementCancelsTheQuery() throws Exception {
    start(Duration.ofMinutes(1), 1_000_000_000_000L);
    try (Connection connection = instance.connect();
        Statement statement = connection.createStatement()) {
      ResultSet rows = statement.executeQuery(ROWS_WITHOUT_END);
      assertThat(rows.next()).isTrue();
      statement.cancel();
      awaitNothingOpen();
    }
  }

  @Test
  void queriesBeyondTheLimitAreRejected() throws Exception {
    start(Duration.ofMinutes(1), 1_000_000_000_000L);
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = client(memory)) {
      List<FlightStream> open = new ArrayList<>();
      FlightInfo info = client.execute(ROWS_WITHOUT_END);
      for (int i = 0; i < SMALL.maxQueries(); i++) {
        FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket());
        assertThat(stream.next()).isTrue();
        open.add(stream);
      }
      assertThatThrownBy(() -> client.execute("SELECT 1"))
          .satisfies(e -> assertThat(code(e)).isEqualTo(FlightStatusCode.RESOURCE_EXHAUSTED))
          .hasMessageContaining("flight.max-queries");
      for (FlightStream stream : open) {
        stream.cancel("enough", null);
        stream.close();
      }
      awaitNothingOpen();
      assertThat(client.execute("SELECT 1").getEndpoints()).hasSize(1);
    }
  }

  @Test
  void queriesRunConcurrently() throws Exception {
    start(Duration.ofMinutes(1), 1_000_000);
    List<CompletableFuture<Long>> sums = new ArrayList<>();
    for (int i = 0; i < SMALL.maxQueries(); i++) {
      int number = i;
      sums.add(CompletableFuture.supplyAsync(() -> sum(number)));
    }
    for (int i = 0; i < sums.size(); i++) {
      long rows = 100_000;
      assertThat(sums.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(rows * (rows - 1) / 2 + rows * i);
    }
  }

  private long sum(int more) {
    try (Connection connection = instance.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT range + " + more + " FROM range(100000)")) {
      long sum = 0;
      while (rows.next()) {
        sum += rows.getLong(1);
      }
      return sum;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void closingTheListenerAbortsQueries() throws Exception {
    start(Duration.ofMinutes(1), 1_000);
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = client(memory)) {
      FlightInfo info = client.execute(ENDLESS);
      FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket());
      Await.until("the query to run", () -> instance.listener().openQueries() == 1);
      CompletableFuture<Boolean> next = CompletableFuture.supplyAsync(stream::next);
      instance.listener().close();
      assertThat(instance.listener().openQueries()).isZero();
      assertThatThrownBy(() -> next.get(60, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class);
      stream.close();
    }
  }

  /** In the order of the protocol: by number, then by name. The JDBC driver does not request it. */
  @Test
  void listsTypes() throws Exception {
    start(Duration.ofMinutes(1), 1_000);
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = client(memory)) {
      assertThat(types(client, client.getXdbcTypeInfo()))
          .containsExactly(
              "BOOLEAN -7 1 null",
              "BIGINT -5 19 null",
              "HUGEINT -5 19 null",
              "UBIGINT -5 20 null",
              "BLOB -3 null '",
              "INTEGER 4 10 null",
              "DOUBLE 8 15 null",
              "VARCHAR 12 null '",
              "DATE 91 10 DATE '",
              "TIME 92 15 TIME '",
              "TIMESTAMP 93 26 TIMESTAMP '");
      assertThat(types(client, client.getXdbcTypeInfo(XdbcDataType.XDBC_BIGINT_VALUE)))
          .containsExactly("BIGINT -5 19 null", "HUGEINT -5 19 null", "UBIGINT -5 20 null");
      assertThat(types(client, client.getXdbcTypeInfo(XdbcDataType.XDBC_INTERVAL_VALUE))).isEmpty();
    }
  }

  private static List<String> types(FlightSqlClient client, FlightInfo info) throws Exception {
    try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
      List<String> types = new ArrayList<>();
      while (stream.next()) {
        VectorSchemaRoot rows = stream.getRoot();
        for (int i = 0; i < rows.getRowCount(); i++) {
          int row = i;
          types.add(
              Stream.of("type_name", "data_type", "column_size", "literal_prefix")
                  .map(column -> String.valueOf(rows.getVector(column).getObject(row)))
                  .collect(Collectors.joining(" ")));
        }
      }
      return types;
    }
  }

  private FlightSqlClient client(RootAllocator memory) {
    return new FlightSqlClient(
        FlightClient.builder(
                memory, Location.forGrpcInsecure("127.0.0.1", instance.listener().port()))
            .build());
  }
}
