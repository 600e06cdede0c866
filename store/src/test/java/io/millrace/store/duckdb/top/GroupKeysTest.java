package io.millrace.store.duckdb.top;

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
              new GroupKeys.Column("address", "UHUGEINT"),
              new GroupKeys.Column("name", "BIGINT"),
              new GroupKeys.Column("mac", "UBIGINT"),
              new GroupKeys.Column("port", "USMALLINT")));

  private static final List<String> ADDRESSES =
      List.of("NULL", "0", "281470849515520", "340282366920938463463374607431768211455");
  private static final List<String> NAMES =
      List.of("NULL", "-9223372036854775808", "-1", "0", "9223372036854775807");
  private static final List<String> MACS =
      List.of("NULL", "0", "9223372036854775808", "18446744073709551615");
  private static final List<String> PORTS = List.of("NULL", "0", "443", "65535");

  @Test
  void keysAreTheValuesAndInTheirOrder() throws SQLException {
    Random random = new Random(1);
    try (var connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE t(address UHUGEINT, name BIGINT, mac UBIGINT, port USMALLINT)");
      for (int i = 0; i < 200; i++) {
        List<String> values = new ArrayList<>();
        for (List<String> some : List.of(ADDRESSES, NAMES, MACS, PORTS)) {
          values.add(some.get(random.nextInt(some.size())));
        }
        statement.execute("INSERT INTO t VALUES (" + String.join(", ", values) + ")");
      }
      List<long[]> sorted = new ArrayList<>();
      List<String> texts = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT %s, address::VARCHAR, name::VARCHAR, mac::VARCHAR, port::VARCHAR FROM t ORDER BY t.address, t.name, t.mac, t.port"
                  .formatted(KEYS.select()))) {
        while (rows.next()) {
          long[] key = new long[KEYS.longs()];
          KEYS.read(rows, 1, key);
          sorted.add(key);
          for (int i = 0; i < 4; i++) {
            String literal = KEYS.literal(key, i);
            texts.add(
                String.valueOf(rows.getString(key.length + 1 + i))
                        .equals(literal.substring(0, literal.indexOf("::")).replace("NULL", "null"))
                    ? "same"
                    : literal);
          }
        }
      }
      assertThat(texts).hasSize(800).containsOnly("same");
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

  @Test
  void numbersStayAsGroupsCome() {
    GroupNumbers numbers = new GroupNumbers(2);
    Random random = new Random(2);
    List<long[]> keys = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      long[] key = {random.nextInt(3), random.nextInt(4_000)};
      boolean isKnown = numbers.find(key) >= 0;
      int number = numbers.number(key);
      assertThat(number).isLessThan(numbers.size()).isEqualTo(numbers.find(key));
      if (!isKnown) {
        assertThat(number).isEqualTo(keys.size());
        keys.add(key);
      }
    }
    assertThat(keys).hasSize(numbers.size()).hasSizeGreaterThan(9_000);
    long[] key = new long[2];
    for (int i = 0; i < keys.size(); i++) {
      numbers.key(i, key);
      assertThat(key).isEqualTo(keys.get(i));
    }
  }
}
