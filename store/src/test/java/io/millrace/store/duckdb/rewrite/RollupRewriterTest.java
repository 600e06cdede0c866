package io.millrace.store.duckdb.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.AnswerRows;
import io.millrace.store.Cancellation;
import io.millrace.store.QueryRequest;
import io.millrace.store.duckdb.rollup.RolledFlows;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which queries read rollups, and that their results equal those of rows. */
class RollupRewriterTest {
  private static RolledFlows flows;

  @BeforeAll
  static void fill() throws SQLException {
    flows = new RolledFlows(3, 6_000, false);
  }

  @AfterAll
  static void close() throws SQLException {
    flows.close();
  }

  private static List<String> rows(String sql, boolean scan) {
    QueryRequest request = new QueryRequest(sql, Duration.ofMinutes(1), 100_000, scan);
    return AnswerRows.withColumns(flows.queries.run(request, new Cancellation()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT src_as, sum(bytes) AS b FROM flows GROUP BY src_as ORDER BY b DESC, src_as LIMIT 5",
        "SELECT asS, asD, COUNT(*) AS pairCount FROM netdata GROUP BY asS, asD ORDER BY pairCount"
            + " DESC, asS, asD LIMIT 10",
        "SELECT count(*) FROM netdata WHERE t >= 1700010000000000",
        "SELECT as.asS, as.asD, COUNT(*) AS pairCount FROM netdata WHERE t BETWEEN 0 AND 9999999999999999"
            + " GROUP BY as.asS, as.asD ORDER BY pairCount DESC, asS, asD LIMIT 10",
        "SELECT dst_port, proto, count(), sum(packets) FROM flows WHERE time BETWEEN"
            + " '2023-11-15 03:00:30' AND '2023-11-15 21:17' GROUP BY ALL ORDER BY ALL",
        "SELECT sum(bytes * sampling_rate), avg(bytes) FROM flows WHERE proto = 6",
        "SELECT sum(8 * bytes * coalesce(sampling_rate, 1)) * 2 AS bits, f.proto FROM flows f"
            + " WHERE time < now() - INTERVAL 1 DAY GROUP BY 2 ORDER BY 2",
        "SELECT time_bucket(INTERVAL '15 minutes', time) AS quarter, sum(packets) FROM flows"
            + " WHERE src_as IN (1, 2, 3) GROUP BY quarter ORDER BY quarter",
        "SELECT date_trunc('day', time), count(1) FROM flows GROUP BY 1 ORDER BY 1",
        "SELECT src_addr, count(*) n FROM flows WHERE src_addr = '192.0.2.7' AND time >="
            + " TIMESTAMP '2023-11-15 05:00:01' GROUP BY src_addr",
        "SELECT src_as, sum(bytes) FROM flows WHERE src_as_name LIKE 'Name 1%' GROUP BY src_as"
            + " HAVING sum(bytes) > 9000 AND count(*) > 3 ORDER BY 2 DESC, 1",
        "SELECT in_if, out_if FROM flows GROUP BY in_if, out_if ORDER BY ALL",
        "SELECT exporter, count(*) FROM flows_committed GROUP BY ALL ORDER BY ALL",
        "SELECT proto, count(*) FROM flows WHERE time >= current_timestamp - INTERVAL 9000 DAY"
            + " AND time < current_date GROUP BY proto ORDER BY 1",
        "SELECT date_trunc('week', time), count(*) FROM flows GROUP BY 1 ORDER BY 1",
        "SELECT sum(bytes), count(*) FROM flows WHERE time < '2020-01-01'",
      })
  void hasTheResultsOfAScan(String sql) {
    assertThat(rows(sql, false)).containsExactlyElementsOf(rows(sql, true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT src_as, sum(bytes) AS b FROM flows GROUP BY src_as",
        "SELECT exporter, count(*) FROM flows_committed GROUP BY ALL",
        "SELECT asS, asD, COUNT(*) AS pairCount FROM netdata GROUP BY asS, asD",
        "SELECT dst_port, proto, count(), sum(packets) FROM flows WHERE time BETWEEN"
            + " '2023-11-15 03:00:30' AND '2023-11-15 21:17' GROUP BY ALL",
        "SELECT sum(bytes * sampling_rate), avg(bytes) FROM flows WHERE proto = 6",
        "SELECT time_bucket(INTERVAL '15 minutes', time) AS quarter, sum(packets) FROM flows"
            + " WHERE src_as IN (1, 2, 3) GROUP BY quarter",
        "SELECT src_as, sum(bytes) FROM flows WHERE src_as_name LIKE 'Name 1%' GROUP BY src_as"
            + " HAVING sum(bytes) > 9000",
        "SELECT proto, sum(bytes) FROM flows WHERE time >= now() - INTERVAL 9000 DAY GROUP BY proto",
        "SELECT proto, sum(bytes) FROM flows WHERE time < current_timestamp GROUP BY proto",
        "SELECT proto, sum(bytes) FROM flows WHERE time < CURRENT_TIMESTAMP - INTERVAL '1' HOUR"
            + " AND time >= localtimestamp - INTERVAL '9000' DAY GROUP BY proto",
        "SELECT proto, sum(bytes) FROM flows WHERE time BETWEEN today() - 9000 AND current_date"
            + " GROUP BY proto",
      })
  void supportsSumsOfGroups(String sql) {
    assertThat(rows("EXPLAIN " + sql, false).get(1)).startsWith("answered_from|rollup ");
    assertThat(rows("EXPLAIN " + sql, true).get(1)).doesNotContain("answered_from");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT src_as, max(bytes) FROM flows GROUP BY src_as",
        "SELECT src_as, sum(bytes) FILTER (WHERE bytes > 100) FROM flows GROUP BY src_as",
        "SELECT count(DISTINCT src_as) FROM flows",
        "SELECT src_as, count(*) FROM flows WHERE bytes > 1000 GROUP BY src_as",
        "SELECT src_as, count(*) FROM flows WHERE time > flow_start GROUP BY src_as",
        "SELECT src_as, proto, count(*) FROM flows GROUP BY src_as, proto",
        "SELECT time_bucket(INTERVAL '30 seconds', time), count(*) FROM flows GROUP BY 1",
        "SELECT src_as, random() > 2, count(*) FROM flows GROUP BY ALL",
        "SELECT src_as, sum(bytes) OVER () FROM flows",
        "SELECT src_as FROM flows",
        "SELECT DISTINCT src_as FROM flows",
      })
  void readsRowsForOtherQueries(String sql) {
    assertThat(rows("EXPLAIN " + sql, false).get(1)).doesNotContain("answered_from");
  }

  @Test
  void readsATimeWithAZoneAsAnInstant() {
    String sums =
        "SELECT count(*) FROM flows WHERE time >= TIMESTAMPTZ '%s' AND time < TIMESTAMPTZ '%s'";
    for (String[] window :
        new String[][] {
          {"2023-11-15 10:00:00+00", "2023-11-16 03:00:00+00"},
          {"2023-11-15 10:20:30+01", "2023-11-16 03:00:00-03"},
          {"2023-11-05 01:10:00 America/New_York", "2023-11-16 03:00:00+00"},
        }) {
      String asked = sums.formatted((Object[]) window);
      assertThat(rows(asked, false)).containsExactlyElementsOf(rows(asked, true));
      assertThat(rows("EXPLAIN " + asked, false).get(1)).startsWith("answered_from|rollup ");
    }
  }
}
