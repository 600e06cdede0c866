package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Await;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RollupFailureTest extends RollupStore {
  @Test
  void reportsFailingRollupsUntilTheySucceed() throws Exception {
    write(START, 3);
    store.rollUp();
    assertThat(store.delays()).isEmpty();
    store.close();
    open(config(10, Map.of()));
    table();
    rename("flows__port_open", "hidden");
    write(START + MINUTE, 3);
    Await.until("a failure is reported", () -> !store.delays().isEmpty());
    assertThat(store.delays())
        .singleElement()
        .asString()
        .startsWith("rollups of flows have failed since 20")
        .contains("(1 attempt, retrying every 30 s)", "flows__port_open does not exist")
        .doesNotContain("\n", "LINE 1")
        .endsWith("restart Millrace; if it still fails, report a bug with the log");
    assertThat(store.problem()).as("rows are still stored").isEmpty();
    rename("hidden", "flows__port_open");
    store.rollUp();
    assertThat(store.delays()).isEmpty();
  }

  private void rename(String from, String to) throws SQLException {
    try (Statement statement = store.connection().createStatement()) {
      statement.execute("ALTER TABLE raw." + from + " RENAME TO " + to);
    }
  }
}
