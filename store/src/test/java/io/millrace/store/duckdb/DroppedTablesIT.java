package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.AnswerRows;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.ResultTable;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.TableNames;
import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dropped tables leave nothing in the database. */
class DroppedTablesIT {
  private static final int ROWS = 5_000;
  private static final String REPLAY = "replay_20260131_120000_000";
  private static final String RESULTS = TableNames.ofReplay(REPLAY, "counts");
  private static final TableSchema SCHEMA = TableSchema.builder().number("count").build();

  @TempDir Path directory;
  private DuckDbStore store;

  @BeforeEach
  void open() {
    store = new DuckDbStore(directory.resolve("store"), StoreConfig.defaults());
    for (String name : List.of(Store.FLOWS, REPLAY)) {
      FlowTable table = store.table(name, Flows.SCHEMA);
      table.rewind(1, Frontier.EMPTY);
      try (FlowWriter writer = table.writer(1)) {
        writer.append(Flows.joined(ROWS, 0, 0));
        writer.flush();
      }
      table.committed(new Frontier(Map.of(0, 1L)));
    }
    for (String name : List.of("counts", RESULTS)) {
      ResultTable table = store.results(name, SCHEMA);
      try (BlockSink<TableBlock, Long> writer = table.writer(0)) {
        TableBlock block = new TableBlock(SCHEMA, 1);
        block.longs(0)[0] = 1;
        block.rows(1);
        writer.append(block);
        writer.flush();
      }
    }
    store.rollUp();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static long count(Store store, String table) {
    return AnswerRows.number(store, "SELECT count(*) FROM " + table);
  }

  @Test
  void nothingOfThemIsLeft() throws Exception {
    store.drop(List.of(REPLAY, RESULTS, "unknown"));
    assertThat(store.tables()).containsExactly(Store.FLOWS);
    assertThat(store.resultTables()).containsExactly("counts", "device_names");
    assertThatThrownBy(() -> count(store, REPLAY)).isInstanceOf(QueryException.class);
    assertThatThrownBy(() -> count(store, RESULTS)).isInstanceOf(QueryException.class);
    assertThat(count(store, "flows_minute_src")).isPositive();
    assertThat(count(store, "flows_committed")).isEqualTo(ROWS);
    store.close();
    assertThat(mentions(directory.resolve("store"))).isEmpty();
    store = new DuckDbStore(directory.resolve("store"), StoreConfig.defaults());
    assertThat(store.tables()).containsExactly(Store.FLOWS);
    assertThat(count(store, "counts")).isEqualTo(1);
  }

  /** All tables, views and rows of state that name the replay. */
  private static List<String> mentions(Path folder) throws SQLException {
    try (DuckDBConnection file = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:")) {
      SqlRows.execute(
          file, "ATTACH '" + folder.resolve(DuckDbStore.FILE_NAME) + "' AS millrace (READ_ONLY)");
      List<String> found =
          SqlRows.strings(
              file,
              "SELECT table_name FROM duckdb_tables() WHERE contains(table_name, '%1$s') UNION ALL SELECT view_name FROM duckdb_views() WHERE contains(view_name, '%1$s')"
                  .formatted(REPLAY));
      for (String state :
          SqlRows.strings(
              file,
              "SELECT table_name FROM duckdb_columns() WHERE schema_name = 'raw' AND column_name ="
                  + " 'table_name'")) {
        found.addAll(
            SqlRows.strings(
                file,
                "SELECT '%s: ' || table_name FROM millrace.raw.%s WHERE contains(table_name, '%s')"
                    .formatted(state, state, REPLAY)));
      }
      return found;
    }
  }

  @Test
  void aKillBeforeTheCommitLeavesAllTablesAndOneAfterwardsNone() throws Exception {
    assertThat(mentions(copy("before"))).hasSizeGreaterThan(20);
    List<String> statements =
        DroppedTable.ofFlows(
            REPLAY,
            List.of(REPLAY, REPLAY + "_committed"),
            RollupCatalog.read(store.connection(), REPLAY));
    Path middle;
    try (DuckDBConnection connection = store.connection().duplicate()) {
      SqlRows.execute(connection, "BEGIN");
      for (String statement : statements) {
        SqlRows.execute(connection, statement);
      }
      middle = copy("middle"); // as after a kill before COMMIT
      SqlRows.execute(connection, "ROLLBACK");
    }
    try (DuckDbStore again = new DuckDbStore(middle, StoreConfig.defaults())) {
      assertThat(count(again, REPLAY)).isEqualTo(ROWS);
      assertThat(count(again, RESULTS)).isEqualTo(1);
      again.drop(List.of(REPLAY, RESULTS));
      assertThat(again.tables()).containsExactly(Store.FLOWS);
    }
    store.drop(List.of(REPLAY, RESULTS));
    try (DuckDbStore again = new DuckDbStore(copy("after"), StoreConfig.defaults())) {
      assertThat(again.tables()).containsExactly(Store.FLOWS);
      assertThat(again.resultTables()).containsExactly("counts", "device_names");
      assertThat(count(again, Store.FLOWS)).isEqualTo(ROWS);
    }
  }

  /** Copies the files as they are on disk now. */
  private Path copy(String name) throws IOException {
    Path copy = directory.resolve(name);
    StoreCopies.copy(directory.resolve("store"), copy);
    return copy;
  }

  @Test
  void aRunningQueryStillSeesThem() {
    try (QueryResult result =
        store.query(
            new QueryRequest(
                "SELECT src_port FROM " + REPLAY, Duration.ofSeconds(20), 1_000_000))) {
      assertThat(result.next()).isTrue();
      store.drop(List.of(REPLAY));
      int rows = 1;
      while (result.next()) {
        rows++;
      }
      assertThat(rows).isEqualTo(ROWS);
    }
  }

  @Test
  void theFlowsOfTheMainJobStay() {
    assertThatThrownBy(() -> store.drop(List.of(REPLAY, Store.FLOWS)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(store.tables()).containsExactly(Store.FLOWS, REPLAY);
  }
}
