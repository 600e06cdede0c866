package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.store.AnswerRows;
import io.millrace.store.QueryRequest;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.GrafanaSql;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Queries of dashboards use rollups; otherwise a chart over weeks would read all rows. */
class DashboardRollupsTest extends RollupStore {
  private static final int MINUTES = 30;

  private List<String> scanned(String sql) {
    return AnswerRows.of(store.query(new QueryRequest(sql, Duration.ofMinutes(1), 1_000, true)));
  }

  /** Outside the SELECT list the name is the column, whose values rollups lack. */
  @Test
  void aBucketNamedAsTheTimeDoesNotHideIt() {
    for (int minute = 0; minute <= MINUTES; minute++) {
      write(START + minute * MINUTE + minute, 3);
    }
    store.rollUp();
    String bucket = "SELECT time_bucket(INTERVAL 1 hour, time) AS time, sum(bytes) FROM flows ";
    for (String rest :
        List.of(
            "GROUP BY 1 ORDER BY 1",
            "WHERE dst_port > 0 GROUP BY ALL ORDER BY time",
            "GROUP BY time ORDER BY ALL",
            "GROUP BY ALL HAVING max(time) IS NOT NULL ORDER BY 1")) {
      assertThat(rows(bucket + rest)).as(rest).isEqualTo(scanned(bucket + rest));
    }
    assertThat(rows(bucket + "GROUP BY time")).hasSizeGreaterThan(2);
    assertThat(String.join("\n", rows("EXPLAIN " + bucket + "GROUP BY 1"))).contains("rollup ");
  }

  @Test
  void panelsOfTrafficReadRollups() throws Exception {
    store.close();
    open(RollupConfig.DEFAULT);
    for (int minute = 0; minute <= MINUTES; minute++) {
      write(START + minute * MINUTE, 3);
    }
    store.rollUp();
    Instant from = Instant.EPOCH.plus(START, ChronoUnit.MICROS);
    String exporter = "'" + rows("SELECT max(exporter) FROM flows").get(0) + "'";
    int panels = 0;
    for (Path dashboard : GrafanaSql.dashboards()) {
      for (JsonNode text :
          new ObjectMapper().readTree(dashboard.toFile()).findValues("queryText")) {
        String sql =
            GrafanaSql.expanded(
                text.asText(), from, from.plus(MINUTES, ChronoUnit.MINUTES), exporter);
        // There are no data sets and no exporters here, and names of devices prevent rollups.
        if (!sql.contains("FROM flows") || sql.contains("_as") || sql.contains("if_name")) {
          continue;
        }
        panels++;
        assertThat(String.join("\n", rows("EXPLAIN " + sql))).as(sql).contains("rollup ");
        assertThat(rows(sql))
            .as(sql)
            .isNotEmpty()
            .containsExactlyInAnyOrderElementsOf(scanned(sql));
      }
    }
    assertThat(panels).isGreaterThan(4);
  }
}
