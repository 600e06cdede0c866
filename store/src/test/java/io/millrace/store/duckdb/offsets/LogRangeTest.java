package io.millrace.store.duckdb.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Frontier;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LogRangeTest {
  private static final LogRange RANGE =
      new LogRange(new Frontier(Map.of(0, 5L, 1, 9L)), new Frontier(Map.of(0, 20L, 1, 15L)));

  @Test
  void identifiesRowsInTheMiddleByOffsetAlone() {
    String each =
        "CASE log_partition WHEN 0 THEN log_offset >= 5 AND log_offset < 20 WHEN 1 THEN log_offset"
            + " >= 9 AND log_offset < 15 ELSE false END";
    assertThat(RANGE.sql()).isEqualTo("log_offset >= 5 AND log_offset < 20 AND " + each);
    assertThat(RANGE.sql(0, 1))
        .isEqualTo(
            "log_offset >= 5 AND log_offset < 20 AND CASE WHEN log_offset >= 9 AND log_offset < 15"
                + " THEN true ELSE "
                + each
                + " END");
    assertThat(RANGE.sql(0, 2)).isEqualTo(RANGE.sql()); // 2 has nothing in the range
  }

  @Test
  void bothConditionsSelectTheRowsInTheRange() throws SQLException {
    Random random = new Random(4);
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE t AS SELECT p.range AS log_partition, o.range AS log_offset FROM range(4)"
              + " p, range(30) o");
      for (int round = 0; round < 50; round++) {
        Map<Integer, Long> from = new TreeMap<>();
        Map<Integer, Long> to = new TreeMap<>();
        for (int partition = 0; partition < 4; partition++) {
          if (random.nextInt(8) > 0) {
            from.put(partition, random.nextLong(20));
            to.put(partition, from.get(partition) + random.nextLong(15));
          }
        }
        LogRange range = new LogRange(new Frontier(from), new Frontier(to));
        long rows =
            to.entrySet().stream()
                .mapToLong(e -> Math.min(30, e.getValue()) - Math.min(30, from.get(e.getKey())))
                .sum();
        for (String sql : new String[] {range.sql(), range.sql(0, 3)}) {
          try (ResultSet row = statement.executeQuery("SELECT count(*) FROM t WHERE " + sql)) {
            row.next();
            assertThat(row.getLong(1)).as(sql).isEqualTo(rows);
          }
        }
      }
    }
  }
}
