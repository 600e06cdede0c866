package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Row counts that are read from the stored tables, compared with those of the views. */
class RowCountsTest {
  private static final int PACKETS = 40;
  private static final int RECORDS = 7;

  @TempDir static Path directory;
  private static DuckDbStore store;

  @BeforeAll
  static void open() {
    store =
        new DuckDbStore(
            directory,
            // rollups have counts too, some seconds later
            StoreConfig.defaults().withRollupQueries(false));
    FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
    try (FlowWriter writer = table.writer()) {
      writer.append(Flows.joined(PACKETS, 0, 1));
      FlowBlock records = Flows.joined(RECORDS, 0, 2);
      records.longs(FlowColumn.FLOW_START)[0] = 1;
      writer.append(records);
      writer.flush();
    }
    table.committed(new Frontier(Map.of(0, 2L)));
  }

  @AfterAll
  static void close() {
    store.close();
  }

  private static List<String> rows(String sql) {
    return StoreContract.rows(store, sql);
  }

  private static List<QueryResult.Column> columns(String sql) {
    try (QueryResult result = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 9))) {
      return result.columns();
    }
  }

  /** The view is a union of two tables; direct counts read none. */
  private static boolean readsTheView(String sql) {
    return String.join("\n", rows("EXPLAIN " + sql)).contains("Union");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT count(*) FROM flows",
        "select COUNT() from Flows;",
        "SELECT count(*) AS n FROM flows AS f",
        "SELECT count(*) \"all \"\"rows\"\"\" FROM netdata",
        "FROM netdata SELECT count(*)",
      })
  void aCountOfAllRowsReadsNone(String sql) {
    String asWritten = "SELECT * FROM (" + sql.replace(";", "") + ")";
    assertThat(readsTheView(sql)).isFalse();
    assertThat(readsTheView(asWritten)).isTrue();
    assertThat(rows(sql)).containsExactly(Integer.toString(PACKETS + RECORDS));
    assertThat(rows(asWritten)).isEqualTo(rows(sql));
    assertThat(columns(sql)).isEqualTo(columns(asWritten));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT count(*) FROM flows LIMIT 1",
        "SELECT count(*) FROM flows LIMIT 5 OFFSET 1",
        "SELECT DISTINCT count(*) FROM flows",
        "SELECT count(*) FROM flows ORDER BY 1",
        "SELECT count(*) FROM flows HAVING count(*) > 1000",
        "SELECT count(*) FROM flows QUALIFY row_number() OVER () > 1",
        "SELECT count(*) FROM flows WHERE bytes > 110",
        "SELECT count(*) FROM flows WHERE src_dns IS NULL",
        "SELECT count(*) FROM flows GROUP BY proto",
        "SELECT count(*) FROM flows GROUP BY ALL",
        "SELECT count(*) FROM flows GROUP BY GROUPING SETS ((), ())",
        "SELECT count(*) FILTER (WHERE bytes > 110) FROM flows",
        "SELECT count(flow_start) FROM flows",
        "SELECT count(DISTINCT log_offset) FROM flows",
        "SELECT count(*) OVER () FROM flows",
        "SELECT count(*), sum(bytes) FROM flows",
        "SELECT count(*) + 1 FROM flows",
        "SELECT count(*) FROM flows a, flows b",
        "SELECT count(*) FROM (SELECT * FROM flows LIMIT 3)",
        "SELECT (SELECT count(*) FROM flows) AS n",
        "SELECT count(*) FROM flows UNION ALL SELECT count(*) FROM netdata",
        "SELECT count(*) FROM flows_committed",
        "WITH few AS (SELECT * FROM flows LIMIT 2) SELECT count(*) FROM flows",
      })
  void otherCountsStayUnchanged(String sql) {
    assertThat(readsTheView(sql)).isTrue();
    assertThat(rows(sql))
        .containsExactlyInAnyOrderElementsOf(rows("SELECT * FROM (" + sql + ") LIMIT 100"));
  }

  @Test
  void onlyTheViewIsCounted() {
    assertThat(rows("WITH flows AS (SELECT 1) SELECT count(*) FROM flows")).containsExactly("1");
    assertThat(rows("SELECT count(*) FROM raw.flows")).containsExactly(Integer.toString(PACKETS));
    assertThat(rows("SELECT count(*) FROM flows_committed"))
        .containsExactly(Integer.toString(PACKETS + RECORDS));
    assertThat(rows("SELECT count(*) FROM flows TABLESAMPLE 0%")).containsExactly("0");
    assertThat(rows("SELECT count(*) FROM flows LIMIT 0")).isEmpty();
  }
}
