package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.HeldMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.storage.TableStorage;
import io.millrace.store.storage.TestObjects;
import io.millrace.testing.S3Server;
import io.millrace.testing.S3Server.Fault;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IcebergNamesTest {
  @TempDir Path directory;
  private DuckDBConnection database;

  @BeforeEach
  void open() throws SQLException {
    database = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    Connections.know(database);
    SqlRows.execute(database, "ATTACH ':memory:' AS " + Catalog.DATABASE);
    SqlRows.execute(database, "CREATE TABLE millrace.main.names(id BIGINT, name VARCHAR)");
  }

  @AfterEach
  void close() throws SQLException {
    Connections.close(database);
  }

  private IcebergNames names() throws SQLException {
    return IcebergNames.open(
        TableStorage.local(), directory.resolve("names"), database, CommitMemory.UNSHARED);
  }

  private void add(int id) throws SQLException {
    SqlRows.execute(
        database, "INSERT INTO millrace.main.names VALUES (%d, 'it''s %1$d')".formatted(id));
  }

  private List<String> stored() throws SQLException {
    return SqlRows.strings(database, "SELECT id || ' ' || name FROM millrace.main.names");
  }

  @Test
  void newDatabaseGetsTheTextsInOrder() throws SQLException {
    IcebergNames names = names();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 50; i++) { // merged on the way
      int id = i * 37 % 50;
      add(id);
      names.commit();
      names.commit();
      expected.add(id + " it's " + id);
    }
    close();
    open();
    names();
    assertThat(stored()).isEqualTo(expected);
  }

  @Test
  void aCommitWithoutMemoryIsRetried() throws SQLException {
    HeldMemory.limit(database);
    IcebergNames names = names();
    add(1);
    DuckDBConnection other = Connections.another(database);
    HeldMemory held = new HeldMemory(other);
    held.toTheLast(other);
    held.closeWhile(Thread.currentThread(), other);
    names.commit();
    close();
    open();
    names();
    assertThat(stored()).containsExactly("1 it's 1");
  }

  @Test
  void textsOfACommitThatSeemedToFailAreNotCommittedTwice() throws Exception {
    Path own = directory.resolve("tables/names");
    try (S3Server server = new S3Server();
        TableStorage storage = TableStorage.of(directory, TestObjects.config(server))) {
      IcebergNames names = IcebergNames.open(storage, own, database, CommitMemory.UNSHARED);
      add(1);
      names.commit();
      add(2);
      server.next("metadata.json", Fault.ANSWER_IS_LOST, Fault.FAILS, Fault.FAILS);
      assertThatThrownBy(names::commit)
          .hasMessageContaining("status 500")
          .hasMessageNotContaining("\n");
      add(3);
      names.commit();
    }
    assertThat(TableDirectory.newest(own).orElseThrow().currentSnapshot().summary())
        .containsEntry("total-records", "3");
  }

  @Test
  void missingTextsAreAddedOnBothSides() throws SQLException {
    add(3);
    IcebergNames names = names();
    add(2);
    names.commit();
    close();
    open();
    add(1);
    add(2);
    names();
    assertThat(stored()).containsExactly("1 it's 1", "2 it's 2", "3 it's 3");
    close();
    open();
    names();
    assertThat(stored()).containsExactly("3 it's 3", "2 it's 2", "1 it's 1");
  }
}
