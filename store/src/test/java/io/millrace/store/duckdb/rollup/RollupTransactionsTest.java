package io.millrace.store.duckdb.rollup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.offsets.CommitMark;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.HeldMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A transaction that is cancelled or fails leaves no trace. */
class RollupTransactionsTest {
  private static final int TIMES = 300;
  private static final String NUMBERS = Catalog.raw("numbers");

  private DuckDBConnection connection;
  private RollupTransactions transactions;

  @BeforeEach
  void open() throws SQLException {
    connection = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    try (Statement statement = connection.createStatement()) {
      statement.execute("ATTACH ':memory:' AS " + Catalog.DATABASE);
      statement.execute("CREATE SCHEMA " + Catalog.DATABASE + "." + Catalog.RAW_SCHEMA);
      for (String state : RollupCatalog.create()) {
        statement.execute(state);
      }
      for (String mark : CommitMark.create()) {
        statement.execute(mark);
      }
      statement.execute("CREATE TABLE " + NUMBERS + "(n INTEGER)");
    }
    transactions = new RollupTransactions(connection, CommitMemory.UNSHARED, "flows");
  }

  @AfterEach
  void close() throws SQLException {
    transactions.close();
  }

  private void fails(RollupTransactions.Work work) {
    assertThatThrownBy(() -> transactions.run(work)).isInstanceOf(Exception.class);
  }

  private static void fill(Statement statement) throws SQLException {
    statement.execute("INSERT INTO " + NUMBERS + " SELECT * FROM range(100)");
  }

  private void nothingIsThere() throws SQLException {
    assertThat(SqlRows.number(connection, "SELECT count(*) FROM " + NUMBERS)).isZero();
  }

  private void nothingIsLeft() throws SQLException {
    nothingIsThere();
    transactions.run(statement -> statement.execute("SELECT 1"));
  }

  @Test
  void interruptingDoesNotKeepATransactionOpen() throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    Thread interrupting =
        new Thread(
            () -> {
              while (!isOver.get()) {
                transactions.cancel();
              }
            });
    interrupting.start();
    try {
      for (int i = 0; i < TIMES; i++) {
        fails(
            statement -> {
              fill(statement);
              throw new SQLException("the work fails, or is interrupted before");
            });
        nothingIsThere();
      }
    } finally {
      isOver.set(true);
      interrupting.join();
    }
    nothingIsLeft();
  }

  @Test
  void workThatFailsInJavaLeavesNothing() throws SQLException {
    fails(
        statement -> {
          fill(statement);
          throw new IllegalStateException("a fault of ours");
        });
    nothingIsLeft();
  }

  @Test
  void aRollbackWithoutMemoryIsRetried() throws Exception {
    HeldMemory.limit(connection);
    DuckDBConnection other = connection.duplicate();
    Thread own = Thread.currentThread();
    AtomicInteger tries = new AtomicInteger();
    transactions.run(
        statement -> {
          fill(statement);
          if (tries.incrementAndGet() == 1) {
            HeldMemory held = new HeldMemory(other);
            held.toTheLast(other);
            held.closeWhile(own, other);
            fill(statement);
          }
        });
    assertThat(tries).hasValue(2);
    assertThat(SqlRows.number(connection, "SELECT count(*) FROM " + NUMBERS)).isEqualTo(100);
  }

  @Test
  void stoppedWorkIsNotCommitted() throws SQLException {
    transactions.stop();
    fails(RollupTransactionsTest::fill);
    nothingIsThere();
  }
}
