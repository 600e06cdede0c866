package io.millrace.store.duckdb.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.Cancellation;
import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParquetImportTest {
  private static final int NAMES = 40_000;

  @TempDir Path directory;

  @Test
  void newNamesAreBoundedInNumberAndInBytes() throws SQLException {
    try (DuckDBConnection root = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:")) {
      SqlRows.execute(root, "ATTACH ':memory:' AS millrace");
      SqlRows.execute(root, "CREATE TABLE millrace.main.names(id BIGINT, name VARCHAR)");
      Path file = directory.resolve("names.parquet");
      SqlRows.execute(
          root,
          ("COPY (SELECT TIMESTAMP '2024-01-01' AS time, 0 AS log_partition, i AS log_offset,"
                  + " 0 AS log_index, printf('%%06d', i %% %d) AS one, '000007' AS two,"
                  + " NULL::VARCHAR AS three FROM range(100000) t(i)) TO %s")
              .formatted(NAMES, SqlLiteral.of(file.toString())));
      NameDictionary names = new NameDictionary(root.duplicate(), CommitMemory.UNSHARED);
      Cancellation ending = new Cancellation();
      ParquetImport rows = new ParquetImport(root.duplicate(), file, ending);
      FlowLayout layout = FlowLayout.of(FlowPart.RECORDS, rows.schema());
      assertThatThrownBy(() -> rows.readNames(layout, names, NAMES - 1, 1 << 30))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("the file has 40,000 new names of 240,000 bytes");
      assertThatThrownBy(() -> rows.readNames(layout, names, NAMES, 6 * NAMES - 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(stored(root)).isZero();
      rows.readNames(layout, names, NAMES, 6 * NAMES);
      assertThat(stored(root)).isEqualTo(NAMES);
      rows.readNames(layout, names, 0, 0); // all are known now
      assertThat(stored(root)).isEqualTo(NAMES);
      ending.cancel();
      assertThatThrownBy(rows::newest).hasMessage("interrupted");
      assertThatThrownBy(() -> rows.readNames(layout, names, 0, 0)).hasMessage("interrupted");
    }
  }

  private static long stored(DuckDBConnection root) throws SQLException {
    return SqlRows.number(root, "SELECT count(DISTINCT name) FROM millrace.main.names");
  }
}
