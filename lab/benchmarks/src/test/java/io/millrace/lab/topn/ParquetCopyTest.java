package io.millrace.lab.topn;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.SqlLiteral;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParquetCopyTest {
  private static final int ROWS = 5_000;

  @TempDir Path directory;

  @Test
  void hasAllRowsOnce() throws Exception {
    Path copy = directory.resolve("copy.parquet");
    try (DuckDbStore store = new DuckDbStore(directory.resolve("store"), StoreConfig.defaults())) {
      new WeekOfFlows(ROWS).write(store.table(Store.FLOWS, WeekOfFlows.SCHEMA));
      ParquetCopy.write(store, Store.FLOWS, List.of("time", "src_addr", "bytes"), copy);
    }
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*), min(bytes) > 0, max(src_addr) < 1::UBIGINT << 48 FROM "
                    + SqlLiteral.of(copy.toString()))) {
      assertThat(row.next()).isTrue();
      assertThat(row.getLong(1)).isEqualTo(ROWS);
      assertThat(row.getBoolean(2)).isTrue();
      assertThat(row.getBoolean(3)).isTrue();
    }
  }
}
