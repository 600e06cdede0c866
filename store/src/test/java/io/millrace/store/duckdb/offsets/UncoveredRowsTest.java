package io.millrace.store.duckdb.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.Frontier;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class UncoveredTest {
  private static final int ROWS = 1_000_000;
  private static final int PARTITIONS = 4;
  private static final Pattern SCANNED = Pattern.compile("\"total_row_groups_scanned\": (\\d+)");

  private DuckDBConnection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    execute(
        ("CREATE TABLE f AS SELECT (i %% %d)::INTEGER AS log_partition, i // %d AS log_offset"
                + " FROM range(%d) t(i)")
            .formatted(PARTITIONS, 100 * PARTITIONS, ROWS));
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String text(String sql) throws SQLException {
    StringBuilder text = new StringBuilder();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        text.append(rows.getString(rows.getMetaData().getColumnCount())).append('\n');
      }
    }
    return text.toString();
  }

  private long count(String condition) throws SQLException {
    return SqlRows.number(connection, "SELECT count(*) FROM f WHERE " + condition);
  }

  static List<Frontier> frontiers() {
    return List.of(
        Frontier.EMPTY,
        new Frontier(Map.of(0, 2_490L, 1, 2_495L, 2, 2_490L, 3, 2_499L)),
        new Frontier(Map.of(1, 7L)),
        new Frontier(Map.of(0, 3L, 3, 2_000L)),
        new Frontier(Map.of(0, 10L, 1, 0L, 2, 10_000L, 7, 4L)));
  }

  @ParameterizedTest
  @MethodSource("frontiers")
  void everyUncoveredRowFulfilsOneCondition(Frontier frontier) throws SQLException {
    long uncovered = 0;
    for (String condition : UncoveredRows.conditions(frontier)) {
      uncovered += count(condition);
      assertThat(count("(" + condition + ") AND " + UncoveredRows.covers(frontier, "log_offset")))
          .isZero();
    }
    assertThat(uncovered).isEqualTo(ROWS - count(UncoveredRows.covers(frontier, "log_offset")));
  }

  @Test
  void rowGroupsInFrontAreNotRead() throws SQLException {
    Frontier frontier = frontiers().get(1);
    execute("BEGIN");
    long scanned = 0;
    for (String condition : UncoveredRows.conditions(frontier)) {
      scanned += scanned("DELETE FROM f WHERE " + condition);
    }
    assertThat(scanned).isEqualTo(1);
    execute("ROLLBACK");
    String all = "DELETE FROM f WHERE NOT (" + UncoveredRows.covers(frontier, "log_offset") + ")";
    assertThat(scanned(all)).as("without a condition for row groups").isGreaterThan(1);
  }

  /** Row groups that a statement reads. */
  private long scanned(String sql) throws SQLException {
    String profile = text("EXPLAIN (ANALYZE, FORMAT JSON) " + sql);
    Matcher found = SCANNED.matcher(profile);
    assertThat(found.find()).as(profile).isTrue();
    return Long.parseLong(found.group(1));
  }
}
