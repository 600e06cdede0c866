package io.millrace.server.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrow's JDBC driver, as DBeaver and others load it. */
class FlightJdbcTest {
  @TempDir static Path directory;
  private static FlightInstance instance;
  private static Connection connection;

  @BeforeAll
  static void start() throws Exception {
    instance = FlightInstance.start(directory);
    connection = instance.connect();
  }

  @AfterAll
  static void stop() throws SQLException {
    connection.close();
    instance.close();
  }

  private static List<String> column(ResultSet rows, String name) throws SQLException {
    List<String> values = new ArrayList<>();
    try (rows) {
      while (rows.next()) {
        values.add(rows.getString(name));
      }
    }
    return values;
  }

  private static ResultSet query(String sql) throws SQLException {
    return connection.createStatement().executeQuery(sql);
  }

  @Test
  void returnsValuesWithTheirTypes() throws SQLException {
    try (ResultSet row =
        query(
            "SELECT 42 AS i, 9223372036854775807::UBIGINT AS u,"
                + " 170141183460469231731687303715884::DECIMAL(38, 0) AS h, 1.25 AS d, 0.5::DOUBLE AS r,"
                + " TRUE AS b, 'é\"' AS s, TIMESTAMP '2026-01-02 03:04:05.678901' AS t,"
                + " DATE '1969-12-31' AS day, TIME '01:02:03' AS clock, '\\xFF'::BLOB AS x,"
                + " ['a', NULL] AS l, {'k': 1} AS o")) {
      assertThat(row.next()).isTrue();
      assertThat(row.getLong("i")).isEqualTo(42);
      assertThat(row.getLong("u")).isEqualTo(Long.MAX_VALUE);
      assertThat(row.getBigDecimal("h"))
          .isEqualTo(new BigDecimal("170141183460469231731687303715884"));
      assertThat(row.getBigDecimal("d")).isEqualTo(new BigDecimal("1.25"));
      assertThat(row.getDouble("r")).isEqualTo(0.5);
      assertThat(row.getBoolean("b")).isTrue();
      assertThat(row.getString("s")).isEqualTo("é\"");
      assertThat(row.getTimestamp("t"))
          .isEqualTo(Timestamp.valueOf(LocalDateTime.parse("2026-01-02T03:04:05.678901")));
      assertThat(row.getDate("day")).hasToString("1969-12-31");
      assertThat(row.getTime("clock")).hasToString("01:02:03");
      assertThat(row.getBytes("x")).containsExactly(0xFF);
      assertThat((Object[]) row.getArray("l").getArray()).hasSize(2).endsWith((Object) null);
      assertThat(row.getString("o")).isEqualTo("{'k': 1}");
      assertThat(row.next()).isFalse();
    }
  }

  @Test
  void everyTypeMayBeNull() throws SQLException {
    try (ResultSet row =
        query(
            "SELECT NULL::INTEGER, NULL::UBIGINT, NULL::HUGEINT, NULL::DECIMAL(9, 2), NULL::DOUBLE,"
                + " NULL::BOOLEAN, NULL::VARCHAR, NULL::TIMESTAMP, NULL::TIMESTAMP_NS, NULL::DATE,"
                + " NULL::TIME, NULL::BLOB, NULL::VARCHAR[], NULL::STRUCT(k INTEGER)")) {
      assertThat(row.next()).isTrue();
      for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
        assertThat(row.getObject(i)).as("column %d", i).isNull();
        assertThat(row.wasNull()).isTrue();
      }
    }
  }

  @Test
  void queriesTheTableOfFlows() throws SQLException {
    try (ResultSet rows =
        query(
            "SELECT dst_addr, src_addr, sum(bytes) AS b, min(time) AS t FROM flows GROUP BY ALL"
                + " ORDER BY b DESC, dst_addr")) {
      assertThat(rows.next()).isTrue();
      assertThat(rows.getString("dst_addr")).isEqualTo("192.0.2.0");
      assertThat(rows.getString("src_addr")).isNull();
      assertThat(rows.getBigDecimal("b")).isEqualTo(new BigDecimal(900_000));
      assertThat(rows.getTimestamp("t"))
          .isEqualTo(Timestamp.valueOf(LocalDateTime.parse("2023-11-14T22:13:20")));
      int others = 0;
      while (rows.next()) {
        assertThat(rows.getLong("b")).isEqualTo(100_000);
        others++;
      }
      assertThat(others).isEqualTo(9);
    }
  }

  @Test
  void returnsTheSchemaOfAResult() throws SQLException {
    try (ResultSet rows = query("SELECT time, bytes, dst_addr FROM flows LIMIT 0")) {
      ResultSetMetaData columns = rows.getMetaData();
      assertThat(columns.getColumnName(1)).isEqualTo("time");
      assertThat(columns.getColumnType(1)).isEqualTo(Types.TIMESTAMP);
      assertThat(columns.getColumnType(2)).isEqualTo(Types.BIGINT);
      assertThat(columns.getColumnType(3)).isEqualTo(Types.VARCHAR);
      assertThat(rows.next()).isFalse();
    }
  }

  @Test
  void takesParameters() throws SQLException {
    String sql =
        "SELECT count(*) AS n, sum(bytes) AS b FROM flows WHERE time >= ? AND time < ? AND dst_port"
            + " = ? AND dst_addr = ? -- ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(4);
      for (int second = 0; second < 2; second++) {
        LocalDateTime from = LocalDateTime.parse("2023-11-14T22:13:20").plusSeconds(second);
        statement.setTimestamp(1, Timestamp.valueOf(from));
        statement.setTimestamp(2, Timestamp.valueOf(from.plusSeconds(second + 1)));
        statement.setInt(3, 443);
        statement.setString(4, "192.0.2.0");
        try (ResultSet row = statement.executeQuery()) {
          assertThat(row.next()).isTrue();
          assertThat(row.getLong("n")).isEqualTo(100L * (second + 1));
          assertThat(row.getLong("b")).isEqualTo(90_000L * (second + 1));
        }
      }
    }
  }

  @Test
  void parametersAreValuesAndNothingElse() throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT ?::VARCHAR || '?' AS s, 1 -?::INTEGER AS n WHERE ?::BOOLEAN")) {
      statement.setString(1, "'; DROP TABLE flows; --");
      statement.setInt(2, -5);
      statement.setBoolean(3, true);
      try (ResultSet row = statement.executeQuery()) {
        assertThat(row.next()).isTrue();
        assertThat(row.getString("s")).isEqualTo("'; DROP TABLE flows; --?");
        assertThat(row.getInt("n")).isEqualTo(6);
      }
    }
  }

  @Test
  void listsTablesAndViews() throws SQLException {
    DatabaseMetaData meta = connection.getMetaData();
    assertThat(column(meta.getCatalogs(), "TABLE_CAT")).containsExactly("millrace");
    assertThat(column(meta.getSchemas(), "TABLE_SCHEM")).containsExactly("main");
    assertThat(column(meta.getTableTypes(), "TABLE_TYPE")).containsExactly("TABLE", "VIEW");
    assertThat(column(meta.getTables(null, null, null, null), "TABLE_NAME"))
        .contains("flows", "flows_committed", "netdata", "akvorado_flows", "exporters")
        .contains("flows_minute_dst", "flows_hour_port")
        .doesNotContain("about", "frontiers");
    assertThat(
            column(
                meta.getTables("millrace", "ma%", "flows\\_comm%", new String[] {"VIEW"}),
                "TABLE_NAME"))
        .containsExactly("flows_committed");
    assertThat(column(meta.getTables("other", null, null, null), "TABLE_NAME")).isEmpty();
    assertThat(column(meta.getTables(null, null, "flows", new String[] {"TABLE"}), "TABLE_NAME"))
        .isEmpty();
  }

  @Test
  void listsColumnsWithTheirTypes() throws SQLException {
    try (ResultSet columns = connection.getMetaData().getColumns(null, null, "netdata", "ip%")) {
      List<String> told = new ArrayList<>();
      while (columns.next()) {
        told.add(
            columns.getString("COLUMN_NAME")
                + " "
                + columns.getString("TYPE_NAME")
                + " "
                + columns.getInt("DATA_TYPE"));
      }
      assertThat(told).contains("ipS VARCHAR " + Types.VARCHAR).hasSize(4);
    }
    assertThat(column(connection.getMetaData().getColumns(null, null, "flows", "%"), "COLUMN_NAME"))
        .startsWith("time", "exporter", "src_addr");
  }

  @Test
  void hasNoKeys() throws SQLException {
    DatabaseMetaData meta = connection.getMetaData();
    assertThat(column(meta.getPrimaryKeys(null, null, "flows"), "COLUMN_NAME")).isEmpty();
    assertThat(column(meta.getImportedKeys(null, null, "flows"), "FK_NAME")).isEmpty();
    assertThat(column(meta.getExportedKeys(null, null, "flows"), "FK_NAME")).isEmpty();
  }

  @Test
  void returnsServerInformation() throws SQLException {
    DatabaseMetaData meta = connection.getMetaData();
    assertThat(meta.getDatabaseProductName()).isEqualTo("Millrace");
    assertThat(meta.isReadOnly()).isTrue();
    assertThat(meta.getIdentifierQuoteString()).isEqualTo("\"");
    assertThat(meta.supportsTransactions()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO flows SELECT * FROM flows",
        "DELETE FROM flows",
        "CREATE TABLE t AS SELECT 1",
        "DROP VIEW flows",
        "COPY flows TO '/tmp/x'",
        "ATTACH 'x.db'",
        "SET memory_limit = '1GB'",
        "SELECT 1; SELECT 2",
        "SELECT * FROM read_csv('/etc/passwd')"
      })
  void rejectsStatementsOtherThanQueries(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      assertThatThrownBy(() -> statement.execute(sql))
          .isInstanceOf(SQLException.class)
          .hasStackTraceContaining("not allowed in a query");
      assertThatThrownBy(() -> statement.executeUpdate(sql))
          .isInstanceOf(SQLException.class)
          .hasStackTraceContaining("not allowed in a query");
    }
    assertThat(column(query("SELECT count(*) AS n FROM flows"), "n"))
        .containsExactly(Integer.toString(FlightInstance.FLOWS));
  }

  @Test
  void aRejectedQueryIsCountedOnce() throws SQLException {
    double before = instance.failures();
    assertThatThrownBy(() -> query("SELECT nothing FROM flows")).isInstanceOf(SQLException.class);
    assertThat(instance.failures()).isEqualTo(before + 1);
    assertThat(column(query("SELECT 1 AS n"), "n")).containsExactly("1");
    assertThat(instance.failures()).isEqualTo(before + 1);
  }

  @Test
  void anInvalidQueryReturnsTheStoresMessageInOneLine() {
    assertThatThrownBy(() -> query("SELECT bytes,\n  nothing\nFROM flows"))
        .rootCause()
        .message()
        .contains("Binder Error", "\"nothing\"", "(at character 17)")
        .doesNotContain("\n");
  }
}
