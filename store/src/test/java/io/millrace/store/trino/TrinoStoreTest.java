package io.millrace.store.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pulse.FreePort;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.QueryRequest;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreEngine;
import io.millrace.store.TrinoConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Decisions that are made before Trino is contacted: none listens here. */
class TrinoStoreTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final String url = "http://127.0.0.1:" + FreePort.any();
  private final StoreConfig config =
      StoreConfig.defaults()
          .withTrino(new TrinoConfig(url, "millrace", "lake"))
          .withEngine(StoreEngine.TRINO);

  @TempDir Path directory;
  private DuckDbStore embedded;
  private TrinoStore store;

  @BeforeEach
  void open() {
    embedded = new DuckDbStore(directory, config);
    store = new TrinoStore(embedded, config);
  }

  @AfterEach
  void close() {
    store.close();
    embedded.close();
  }

  private void ask(String sql) {
    store.query(new QueryRequest(sql, LIMIT, 10)).close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DELETE FROM flows",
        "-- SELECT\nDELETE FROM flows",
        "/* SELECT */ (DROP TABLE flows)",
        "/* SELECT ",
        "EXPLAIN ANALYZE DELETE FROM flows",
        "explain /**/ (analyze verbose) SELECT 1",
        "CALL lake.system.unregister_table('a', 'b')",
        "SET SESSION query_max_run_time = '1d'",
        "EXECUTE IMMEDIATE 'DELETE FROM flows'",
        ";",
        ""
      })
  void statementsThatWriteDoNotReachTrino(String sql) {
    assertThatThrownBy(() -> ask(sql))
        .isInstanceOfSatisfying(
            QueryException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_ALLOWED))
        .hasMessageContaining("allowed");
  }

  @Test
  void longTextsAreRejected() {
    assertThatThrownBy(() -> ask("SELECT 1" + " ".repeat(70_000)))
        .hasMessage("the query has more than 65,536 characters");
    assertThat(Statement.checked("(".repeat(60_000) + "SELECT 1;")).endsWith("SELECT 1");
  }

  @Test
  void parametersAreRejected() {
    QueryRequest request = new QueryRequest("SELECT ?", LIMIT, 10, false, List.of("1"));
    assertThatThrownBy(() -> store.query(request).close())
        .hasMessageStartingWith("parameters are not supported with store.engine: trino");
  }

  @Test
  void anUnreachableTrinoIsNamed() {
    for (String sql : List.of("SELECT 1", " with a AS (SELECT 1) TABLE a", "EXPLAIN SELECT 1")) {
      assertThatThrownBy(() -> ask(sql))
          .isInstanceOfSatisfying(
              QueryException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BUSY))
          .hasMessageContaining("Trino at " + url + " does not respond");
    }
  }

  @Test
  void groupsRequireASnapshot() throws Exception {
    FlowQuery question = FlowQuery.top(5, Measure.BITS, "src_as");
    var table = embedded.table(Store.FLOWS, Flows.SCHEMA);
    try (FlowWriter writer = table.writer()) {
      writer.append(Flows.joined(10, 0, 0));
      writer.flush();
      assertThat(embedded.top(question).rows()).isNotEmpty();
      assertThatThrownBy(() -> store.top(question))
          .hasMessageStartingWith("flows: no snapshot yet");
      assertThat(store.snapshotTo()).isEmpty();
      Frontier covered = new Frontier(Map.of(0, 1L));
      writer.seal(1, covered);
      writer.sync();
      writer.commit(1, covered);
    }
    assertThat(store.snapshotTo()).isPresent();
    assertThatThrownBy(() -> store.top(question)).hasMessageContaining("does not respond");
    assertThatThrownBy(() -> store.series(FlowQuery.series(Measure.BITS, "as")))
        .hasMessageContaining("does not respond");
    assertThatThrownBy(() -> store.top(FlowQuery.top(5, Measure.BITS, "in_if_name")))
        .hasMessageStartingWith("in_if_name: device metadata is not in the Iceberg tables");
    embedded.rollUp(); // Trino is not used if rollups have the result
    assertThat(store.top(question).rows()).isNotEmpty().isEqualTo(embedded.top(question).rows());
    FlowQuery series =
        FlowQuery.series(Measure.BITS, "as").withStep(Optional.of(Duration.ofMinutes(1)));
    assertThat(store.series(series).period().source()).contains("rollup as");
    for (FlowQuery rows : List.of(question.withScan(true), question.withFilter("proto = 6"))) {
      assertThatThrownBy(() -> store.top(rows)).hasMessageContaining("does not respond");
    }
  }

  @Test
  void theEngineRequiresAUrl() {
    assertThatThrownBy(() -> StoreConfig.defaults().withEngine(StoreEngine.TRINO))
        .hasMessageStartingWith("store.trino.url: missing");
    assertThatThrownBy(() -> new TrinoConfig("127.0.0.1:8080", "a", "b"))
        .hasMessageStartingWith("store.trino.url: invalid URL 127.0.0.1:8080");
  }
}
