package io.millrace.store.duckdb.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SqlRowsTest {
  private DuckDBConnection database;
  private final AtomicInteger tries = new AtomicInteger();

  @BeforeEach
  void open() throws SQLException {
    database = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    SqlRows.execute(database, "CREATE TABLE numbers(x INTEGER)");
  }

  @AfterEach
  void close() throws SQLException {
    database.close();
  }

  private long rows() throws SQLException {
    return SqlRows.number(database, "SELECT count(*) FROM numbers");
  }

  @Test
  void workWithoutMemoryIsRepeatedInANewTransaction() throws SQLException {
    int result =
        SqlRows.retriedTransaction(
            database,
            CommitMemory.UNSHARED,
            () -> {
              SqlRows.execute(database, "INSERT INTO numbers VALUES (1)");
              if (tries.incrementAndGet() < 3) {
                throw new SQLException("Out of Memory Error: failed to allocate data");
              }
              return 7;
            });
    assertThat(result).isEqualTo(7);
    assertThat(tries).hasValue(3);
    assertThat(rows()).isEqualTo(1);
  }

  @Test
  void aCommitOfUnknownOutcomeIsNotRepeated() throws SQLException {
    assertThatThrownBy(
            () ->
                SqlRows.retriedTransaction(
                    database,
                    CommitMemory.UNSHARED,
                    () -> {
                      tries.incrementAndGet();
                      SqlRows.execute(database, "INSERT INTO numbers VALUES (1)");
                      SqlRows.execute(database, "COMMIT"); // the one below fails
                      return null;
                    }))
        .isInstanceOf(SQLException.class);
    assertThat(tries).hasValue(1);
    assertThat(rows()).isEqualTo(1);
  }

  @Test
  void otherFailuresAreNotRepeated() throws SQLException {
    assertThatThrownBy(
            () ->
                SqlRows.retriedTransaction(
                    database,
                    CommitMemory.UNSHARED,
                    () -> {
                      SqlRows.execute(database, "INSERT INTO numbers VALUES (1)");
                      tries.incrementAndGet();
                      throw new SQLException("something else");
                    }))
        .hasMessage("something else");
    assertThat(tries).hasValue(1);
    assertThat(rows()).isZero();
  }
}
