package io.millrace.server.imports;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.ChildProcess;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.testing.Await;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The process is killed with SIGKILL during an import, when some rows are committed. The next
 * process resumes, and each row is stored once.
 */
class ImportKillTest {
  private static final int ROWS = 1_500_000;

  @TempDir Path dir;

  @ParameterizedTest
  @ValueSource(strings = {Store.FLOWS, "january"})
  void eachRowIsStoredOnceOverAKill(String table) throws Exception {
    writeRows(dir.resolve("rows.csv"));
    String sha256;
    try (ChildProcess process = KilledImport.spawn(dir, table)) {
      sha256 = process.readLine();
      process.kill();
    }
    try (DuckDbStore store = KilledImport.store(dir);
        FileImports imports = KilledImport.open(dir, store)) {
      assertThat(imports.status(sha256, table).state()).isEqualTo("running");
      assertThat(number(store, "SELECT count(*) FROM " + table)).isBetween(1L, ROWS - 1L);
      imports.start();
      Await.until(
          "the import's end", () -> !imports.status(sha256, table).state().equals("running"));
      assertThat(imports.status(sha256, table).state()).isEqualTo("done");
      assertThat(imports.status(sha256, table).rows()).isEqualTo(ROWS);
      assertThat(number(store, "SELECT count(*) FROM " + table)).isEqualTo(ROWS);
      assertThat(number(store, "SELECT count(DISTINCT time) FROM " + table)).isEqualTo(ROWS);
    }
  }

  private static void writeRows(Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (int i = 0; i < ROWS; i++) {
        out.write("1.0." + (i >> 8 & 255) + '.' + (i & 255) + ",198.51.100.2,6,443,50000,1500,");
        out.write(Long.toString(1_380_000_000_000_000L + i));
        out.newLine();
      }
    }
  }

  private static long number(Store store, String sql) {
    try (QueryResult row = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 1))) {
      row.next();
      return ((Number) row.value(0)).longValue();
    }
  }
}
