package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.GrafanaSql;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** Otherwise a chart of Grafana over weeks would read all rows. */
class DashboardRollupsTest extends RollupStore {
  private static final int MINUTES = 5;

  @Test
  void panelsOfTrafficAreAnsweredFromRollups() throws Exception {
    store.close();
    open(RollupConfig.DEFAULT);
    for (int minute = 0; minute <= MINUTES; minute++) {
      write(START + minute * MINUTE, 3);
    }
    store.rollUp();
    Instant from = Instant.EPOCH.plus(START, ChronoUnit.MICROS);
    int panels = 0;
    for (Path dashboard : GrafanaSql.dashboards()) {
      for (JsonNode text : new ObjectMapper().readTree(dashboard.toFile()).findValues("queryText")) {
        String sql =
            GrafanaSql.expanded(
                text.asText(), from, from.plus(MINUTES, ChronoUnit.MINUTES), "'192.0.2.1'");
        if (!sql.contains("FROM flows") || sql.contains("_as")) {
          continue; // of data sets, or of exporters
        }
        panels++;
        assertThat(String.join("\n", rows("EXPLAIN " + sql))).as(sql).contains("from rollup ");
      }
    }
    assertThat(panels).isGreaterThan(4);
  }
}
