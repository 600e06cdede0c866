package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Await;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RollupFailureTest extends RollupStore {
  @Test
  void saysThatRollupsStandStillUntilTheyGoOn() throws Exception {
    write(START, 3);
    store.rollUp();
    assertThat(store.delays()).isEmpty();
    store.close();
    open(config(10, Map.of()));
    table();
    rename("flows__port_open", "hidden");
    write(START + MINUTE, 3);
    Await.until("a failure is told", () -> !store.delays().isEmpty());
    assertThat(store.delays())
        .singleElement()
        .asString()
        .startsWith("rollups of flows stand still since 20")
        .contains("tried once and again every 30 s", "flows__port_open does not exist")
        .doesNotContain("\n", "LINE 1")
        .endsWith("start Millrace again; if that does not help, report it with what its log says");
    assertThat(store.problem()).as("rows are taken all the same").isEmpty();
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
