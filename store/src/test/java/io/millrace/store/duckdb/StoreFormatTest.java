package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.StoreConfig;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.rollup.RollupConfig;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreFormatTest {
  private static final int LATER = 1_000_000;

  @TempDir Path directory;

  private DuckDbStore open() {
    return new DuckDbStore(directory, StoreConfig.defaults(), RollupConfig.NONE);
  }

  private Connection file() throws SQLException {
    return DriverManager.getConnection("jdbc:duckdb:" + directory.resolve(DuckDbStore.FILE_NAME));
  }

  /** A database that was moved alone, without the version of its data directory. */
  @Test
  void aFileOfALaterFormatIsRejectedAndLeftAsItIs() throws SQLException {
    open().close();
    try (Connection connection = file();
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate("UPDATE raw.about SET version = " + LATER)).isOne();
      statement.execute("DROP TABLE main.names");
    }
    assertThatThrownBy(this::open)
        .isInstanceOf(WrongSchemaException.class)
        .hasMessageStartingWith(directory.resolve(DuckDbStore.FILE_NAME) + " has format " + LATER)
        .hasMessageEndingWith("start the release that wrote it, or restore a backup")
        .hasMessageNotContaining("\n");
    try (Connection connection = file();
        Statement statement = connection.createStatement();
        ResultSet names =
            statement.executeQuery(
                "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'names'")) {
      assertThat(names.next()).isTrue();
      assertThat(names.getInt(1)).isZero();
    }
  }
}
