package io.millrace.store.duckdb.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CommitMarkTest {
  private static final String NUMBERS = Catalog.raw("numbers");
  private static final String NO_MEMORY = "Out of Memory Error: failed to allocate data";

  private final AtomicInteger tries = new AtomicInteger();
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
    SqlRows.execute(database, "CREATE TABLE " + NUMBERS + "(n INTEGER)");
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

  private long numbers() throws SQLException {
    return SqlRows.number(database, "SELECT count(*) FROM " + NUMBERS);
  }

  /** Inserts a number. Two tries fail; if {@code ending} is not empty, by a COMMIT that does it. */
  private Integer insert(String ending, String failure) throws SQLException {
    return mark.transaction(
        CommitMemory.UNSHARED,
        () -> {
          SqlRows.execute(writing, "INSERT INTO " + NUMBERS + " VALUES (1)");
          if (tries.incrementAndGet() < 3) {
            if (!ending.isEmpty()) {
              mark.commit(
                  () -> {
                    SqlRows.execute(writing, ending);
                    throw new SQLException(failure);
                  });
            }
            throw new SQLException(failure);
          }
          return tries.get();
        });
  }

  @Test
  void workWithoutMemoryIsRepeatedInANewTransaction() throws SQLException {
    assertThat(insert("", NO_MEMORY)).isEqualTo(3);
    assertThat(numbers()).isEqualTo(1);
  }

  @Test
  void aFailedCommitThatTookEffectIsNotRepeated() throws SQLException {
    insert("COMMIT", NO_MEMORY);
    assertThat(tries).hasValue(1);
    assertThat(numbers()).isEqualTo(1);
  }

  @Test
  void aFailedCommitThatTookNoEffectIsRepeated() throws SQLException {
    assertThat(insert("ROLLBACK", NO_MEMORY)).isEqualTo(3);
    assertThat(numbers()).isEqualTo(1);
  }

  @Test
  void otherFailuresAreNotRepeated() throws SQLException {
    assertThatThrownBy(() -> insert("", "something else")).hasMessage("something else");
    assertThat(tries).hasValue(1);
    assertThat(numbers()).isZero();
  }

  @Test
  void workAfterACommitOfUnknownOutcomeRuns() throws SQLException {
    fail("COMMIT");
    tries.set(1);
    assertThat(insert("", NO_MEMORY)).isEqualTo(3);
    assertThat(numbers()).isEqualTo(1);
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
