package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class DriverLibraryTest {
  private static final Path MAPPED = Path.of("/proc/self/maps");

  @Test
  void aProcessThatIsKilledLeavesNoFile() throws IOException, SQLException {
    assumeThat(MAPPED).exists();
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:")) {
      DriverLibrary.unlink();
      assertThat(
              Files.readAllLines(MAPPED).stream().filter(line -> line.contains("libduckdb_java")))
          .isNotEmpty()
          .allMatch(line -> line.endsWith("(deleted)"));
      try (var rows = connection.createStatement().executeQuery("SELECT 6 * 7")) {
        rows.next();
        assertThat(rows.getInt(1)).isEqualTo(42);
      }
    }
  }
}
