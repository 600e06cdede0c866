package io.millrace.server.flight;

import io.millrace.server.NullFlows;
import io.millrace.server.access.AccessToken;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.api.QueryAdmission;
import io.millrace.server.metrics.Latencies;
import io.millrace.server.metrics.MetricsText;
import io.millrace.server.metrics.PrometheusText;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowWriter;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** A listener on a free port, for a store with some flows. */
final class FlightInstance implements AutoCloseable {
  static final int FLOWS = 10_000;
  static final long FIRST_MICROS = 1_700_000_000_000_000L;

  private final Store store;
  private final FlightListener listener;
  private final Latencies latencies;
  private final QueryAdmission admission;

  private FlightInstance(
      Store store, FlightListener listener, Latencies latencies, QueryAdmission admission) {
    this.admission = admission;
    this.store = store;
    this.listener = listener;
    this.latencies = latencies;
  }

  static HttpConfig onLoopback() {
    return new HttpConfig("127.0.0.1", 0, 2_048);
  }

  static HttpConfig withToken(String token) {
    return onLoopback().withToken(AccessToken.of(token));
  }

  /** Query limits of the tests. */
  static StoreConfig limits(Duration time, long rows) {
    return StoreConfig.defaults()
        .withMemoryBytes(256 << 20)
        .withThreads(2)
        .withQueryTimeLimit(time)
        .withQueryRowLimit(rows);
  }

  static FlightInstance start(Path directory) throws IOException, InterruptedException {
    return start(
        directory,
        FlightConfig.DEFAULTS.withPort(0),
        onLoopback(),
        limits(Duration.ofMinutes(1), 5_000_000));
  }

  static FlightInstance start(
      Path directory, FlightConfig config, HttpConfig http, StoreConfig limits)
      throws IOException, InterruptedException {
    Store store = new DuckDbStore(directory, limits);
    try (FlowWriter writer = store.table(Store.FLOWS, new FlowSchema(List.of())).writer()) {
      writer.append(flows());
      writer.flush();
    }
    Latencies latencies = new Latencies();
    QueryAdmission admission =
        new QueryAdmission(http.queries().max(), http.queries().maxPerClient());
    FlightListener listener = new FlightListener(config, http, store, limits, latencies, admission);
    listener.start();
    listener.awaitStart();
    return new FlightInstance(store, listener, latencies, admission);
  }

  /** A flow per millisecond, to ten destinations; most columns are NULL. */
  private static FlowBlock flows() {
    FlowBlock block = NullFlows.of(FLOWS);
    for (int row = 0; row < FLOWS; row++) {
      block.longs(FlowColumn.TIME)[row] = FIRST_MICROS + row * 1_000L;
      block.addressLow(FlowColumn.DST_ADDR)[row] = Addresses.v4Low(0xC0000200 + row % 10);
      block.addressHigh(FlowColumn.DST_ADDR)[row] = 0;
      block.longs(FlowColumn.BYTES)[row] = row % 10 == 0 ? 900 : 100;
      block.longs(FlowColumn.PACKETS)[row] = 1;
      block.ints(FlowColumn.SAMPLING_RATE)[row] = 10;
      block.ints(FlowColumn.DST_PORT)[row] = 443;
      block.ints(FlowColumn.PROTO)[row] = 6;
    }
    return block;
  }

  Store store() {
    return store;
  }

  FlightListener listener() {
    return listener;
  }

  QueryAdmission admission() {
    return admission;
  }

  /** Number of queries that were rejected or aborted. */
  double failures() {
    MetricsText text = new MetricsText();
    latencies.writeTo(text, "flight");
    return new PrometheusText(text.toString())
        .samples()
        .get("millrace_query_failures_total{query=\"flight\"}");
  }

  /** JDBC URL; {@code more} begins with an ampersand. */
  String jdbcUrl(String more) {
    return "jdbc:arrow-flight-sql://127.0.0.1:" + listener.port() + "/?useEncryption=false" + more;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl(""));
  }

  @Override
  public void close() {
    listener.close();
    store.close();
  }
}
