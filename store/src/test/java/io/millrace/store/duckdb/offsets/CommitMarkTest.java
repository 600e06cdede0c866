package io.millrace.store.duckdb.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CommitMarkTest {
  private DuckDBConnection database;
  private DuckDBConnection writing;
  private CommitMark mark;

  @BeforeEach
  void open() throws SQLException {
    database = DriverManager.getConnection("jdbc:duckdb:").unwrap(DuckDBConnection.class);
    SqlRows.execute(database, "ATTACH ':memory:' AS " + Catalog.DATABASE);
    SqlRows.execute(database, "CREATE SCHEMA millrace.raw");
    for (String statement : CommitMark.create()) {
      SqlRows.execute(database, statement);
    }
    writing = database.duplicate();
    mark = new CommitMark(writing);
  }

  @AfterEach
  void close() throws SQLException {
    writing.close();
    database.close();
  }

  private void fail(String instead) {
    assertThatThrownBy(
            () -> {
              SqlRows.execute(writing, "BEGIN");
              mark.commit(
                  () -> {
                    SqlRows.execute(writing, instead);
                    throw new SQLException("failed after the commit");
                  });
            })
        .hasMessage("failed after the commit");
  }

  @Test
  void tellsWhetherAFailedCommitTookEffect() throws SQLException {
    assertThat(mark.tookEffect()).isFalse();
    fail("COMMIT");
    assertThat(mark.tookEffect()).isTrue();
    assertThat(mark.tookEffect()).as("same commit again").isFalse();
    fail("ROLLBACK");
    assertThat(mark.tookEffect()).isFalse();
  }

  @Test
  void commitsOfOtherWritersDoNotCount() throws SQLException {
    try (DuckDBConnection other = database.duplicate()) {
      CommitMark others = new CommitMark(other);
      SqlRows.execute(other, "BEGIN");
      others.commit(() -> SqlRows.execute(other, "COMMIT"));
    }
    fail("ROLLBACK");
    assertThat(mark.tookEffect()).isFalse();
  }

  @Test
  void oldNumbersAreDeleted() throws SQLException {
    for (int i = 0; i < 1_000; i++) {
      SqlRows.execute(writing, "BEGIN");
      mark.commit(() -> SqlRows.execute(writing, "COMMIT"));
    }
    assertThat(SqlRows.number(database, "SELECT count(*) FROM " + Catalog.raw("commit__marks")))
        .isBetween(1L, 64L);
  }
}
