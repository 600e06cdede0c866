package io.millrace.store.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GroupKeysTest {
  private static final GroupKeys KEYS =
      new GroupKeys(
          List.of(
              new GroupKeys.Column("address", SqlType.UHUGEINT),
              new GroupKeys.Column("name", SqlType.BIGINT),
              new GroupKeys.Column("mac", SqlType.UBIGINT),
              new GroupKeys.Column("port", SqlType.USMALLINT),
              new GroupKeys.Column("start", SqlType.TIMESTAMP)));

  private static final List<String> ADDRESSES =
      List.of("NULL", "0", "281470849515520", "340282366920938463463374607431768211455");
  private static final List<String> NAMES =
      List.of("NULL", "-9223372036854775808", "-1", "0", "9223372036854775807");
  private static final List<String> MACS =
      List.of("NULL", "0", "9223372036854775808", "18446744073709551615");
  private static final List<String> PORTS = List.of("NULL", "0", "443", "65535");
  private static final List<String> STARTS =
      List.of(
          "NULL",
          "TIMESTAMP '-infinity'",
          "TIMESTAMP '1969-12-31 23:59:59'",
          "TIMESTAMP '2026-01-31 12:00:00.000001'",
          "TIMESTAMP 'infinity'");

  @Test
  void keysHaveTheValuesAndTheirOrder() throws SQLException {
    Random random = new Random(1);
    try (var connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE t(address UHUGEINT, name BIGINT, mac UBIGINT, port USMALLINT, start TIMESTAMP)");
      for (int i = 0; i < 200; i++) {
        List<String> values = new ArrayList<>();
        for (List<String> some : List.of(ADDRESSES, NAMES, MACS, PORTS, STARTS)) {
          values.add(some.get(random.nextInt(some.size())));
        }
        statement.execute("INSERT INTO t VALUES (" + String.join(", ", values) + ")");
      }
      List<long[]> sorted = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              Select.of(KEYS.select(KEYS.columnsOf("")))
                  .from(Relation.table("t"))
                  .orderBy(KEYS.columnsOf("t"))
                  .in(Dialect.DUCKDB))) {
        while (rows.next()) {
          long[] key = new long[KEYS.longs()];
          KEYS.read(rows, 1, key);
          sorted.add(key);
        }
      }
      try (ResultSet different =
          statement.executeQuery(
              "SELECT count(*) FROM (SELECT * FROM t EXCEPT ALL SELECT a, n, m, p, s FROM (%s) AS v(a, n, m, p, s, place))"
                  .formatted(KEYS.values(sorted).in(Dialect.DUCKDB)))) {
        different.next();
        assertThat(sorted).hasSize(200);
        assertThat(different.getLong(1)).isZero();
      }
      List<long[]> shuffled = new ArrayList<>(sorted);
      Collections.shuffle(shuffled, random);
      shuffled.sort(KEYS::compare);
      assertThat(shuffled.toArray(long[][]::new)).isDeepEqualTo(sorted.toArray(long[][]::new));
    }
  }

  @Test
  void aProjectionHasSomeOfTheColumns() {
    long[] key = {0b0101, 1, 2, 3, 4, 5}; // the address and the MAC are NULL
    long[] projected = new long[3];
    KEYS.project(key, List.of(2, 1), projected);
    assertThat(projected).containsExactly(0b01, 4, 3);
  }
}
