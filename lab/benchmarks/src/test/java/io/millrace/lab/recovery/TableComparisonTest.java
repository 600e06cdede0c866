package io.millrace.lab.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two small tables like the store's, one of which is modified. */
class TableComparisonTest {
  private static final Frontier BEGIN = new Frontier(Map.of(0, 0L, 1, 0L));
  private static final Frontier END = new Frontier(Map.of(0, 50L, 1, 50L));

  private Connection truth;
  private Connection table;

  @BeforeEach
  void open() throws SQLException {
    truth = filled();
    table = filled();
  }

  @AfterEach
  void close() throws SQLException {
    truth.close();
    table.close();
  }

  /** Two partitions, fifty values, three rows each. */
  private static Connection filled() throws SQLException {
    Connection connection = DriverManager.getConnection("jdbc:duckdb:");
    execute(
        connection,
        "CREATE SCHEMA raw",
        "CREATE TABLE raw.flows AS SELECT p AS log_partition, o AS log_offset, i AS log_index,"
            + " o * 7 AS bytes, (o + i) % 5 AS src_dns"
            + " FROM range(2) a(p), range(50) b(o), range(3) c(i)",
        "CREATE TABLE names AS SELECT id, 'host' || id AS name FROM range(5) n(id)",
        "CREATE VIEW flows AS SELECT f.* REPLACE (n.name AS src_dns) FROM raw.flows f"
            + " LEFT JOIN names n ON n.id = f.src_dns");
    return connection;
  }

  private static void execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static SqlSource source(Connection connection) {
    return sql -> {
      List<List<String>> rows = new ArrayList<>();
      try (Statement statement = connection.createStatement();
          ResultSet result = statement.executeQuery(sql)) {
        while (result.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            row.add(result.getString(i));
          }
          rows.add(row);
        }
      } catch (SQLException e) {
        throw new IOException(e);
      }
      return rows;
    };
  }

  private TableComparison compare() throws IOException {
    return TableComparison.of(source(truth), source(table), List.of("src_dns"), BEGIN, END);
  }

  @Test
  void theSameRowsInAnotherOrderAreEqual() throws Exception {
    execute(table, "CREATE OR REPLACE TABLE raw.flows AS FROM raw.flows ORDER BY hash(log_offset)");
    TableComparison comparison = compare();
    assertThat(comparison.isEqual()).as(comparison.toString()).isTrue();
    assertThat(comparison.rows()).isEqualTo(300);
  }

  @Test
  void idsOfEqualNamesMayDiffer() throws Exception {
    execute(
        table,
        "INSERT INTO names VALUES (9, 'host4')",
        "UPDATE raw.flows SET src_dns = 9 WHERE src_dns = 4");
    assertThat(compare().isEqual()).isTrue();
  }

  @Test
  void missingRowsAreCountedAndNamed() throws Exception {
    execute(
        table,
        "DELETE FROM raw.flows WHERE log_partition = 1 AND log_offset = 17",
        "DELETE FROM raw.flows WHERE log_partition = 0 AND log_offset = 3 AND log_index = 2");
    TableComparison comparison = compare();
    assertThat(comparison.missing()).isEqualTo(4);
    assertThat(comparison.doubled() + comparison.different()).isZero();
    assertThat(comparison.examples())
        .containsExactlyInAnyOrder(
            "missing: log_partition = 0 AND log_offset = 3 AND log_index = 2",
            "missing: all rows of partition 1, offset 17");
  }

  @Test
  void doubledRowsAreCounted() throws Exception {
    execute(table, "INSERT INTO raw.flows FROM raw.flows WHERE log_offset = 40");
    TableComparison comparison = compare();
    assertThat(comparison.doubled()).isEqualTo(6);
    assertThat(comparison.missing() + comparison.different()).isZero();
  }

  @Test
  void reportsDifferentValuesAndNames() throws Exception {
    execute(
        table,
        "UPDATE raw.flows SET bytes = 1 WHERE log_partition = 0 AND log_offset = 5 AND log_index = 1",
        "UPDATE raw.flows SET src_dns = NULL WHERE log_partition = 1 AND log_offset = 6 AND log_index = 0");
    TableComparison comparison = compare();
    assertThat(comparison.different()).isEqualTo(2);
    assertThat(comparison.missing() + comparison.doubled()).isZero();
    assertThat(comparison.examples())
        .anyMatch(example -> example.contains("bytes: expected 35, found 1"))
        .anyMatch(example -> example.contains("src_dns: expected host1, found null"));
  }

  @Test
  void manyDifferencesAreCountedByTheirSums() throws Exception {
    execute(table, "DELETE FROM raw.flows WHERE log_index = 0");
    TableComparison comparison = compare();
    assertThat(comparison.missing()).isEqualTo(100);
    assertThat(comparison.examples()).hasSize(5);
  }

  @Test
  void doesNotCompareRowsOutsideTheRange() throws Exception {
    execute(table, "INSERT INTO raw.flows SELECT * REPLACE (99 AS log_offset) FROM raw.flows");
    assertThat(compare().isEqual()).isTrue();
  }
}
