package io.millrace.store.duckdb.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.AnswerRows;
import io.millrace.store.Cancellation;
import io.millrace.store.QueryRequest;
import io.millrace.store.duckdb.rollup.RolledFlows;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses in conditions are compared as numbers, with the results of texts. */
class AddressFilterIT {
  private static final boolean LONG = Boolean.getBoolean("millrace.long");
  private static final List<String> COLUMNS = List.of("src_addr", "dst_addr", "exporter");
  private static RolledFlows flows;

  @BeforeAll
  static void fill() throws SQLException {
    flows = new RolledFlows(2, 3_000, false);
  }

  @AfterAll
  static void close() throws SQLException {
    flows.close();
  }

  private static List<String> rows(String sql, boolean scan) {
    QueryRequest request = new QueryRequest(sql, Duration.ofMinutes(1), 100_000, scan);
    return AnswerRows.of(flows.queries.run(request, new Cancellation()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "SELECT count(*), min(ADDRESS), max(ADDRESS) FROM flows;true",
        "SELECT ADDRESS, count(*) FROM flows;false",
        "SELECT f.proto, count(*) FROM flows f;false",
        "SELECT upper(ADDRESS), dst_addr, sum(bytes) FROM flows_committed;false",
      })
  void conditionsMatchLikeThoseOnTexts(String select, boolean isOneRow) {
    for (String column : isOneRow || LONG ? COLUMNS : COLUMNS.subList(0, 1)) {
      List<String> some =
          rows("SELECT DISTINCT " + column + " FROM flows ORDER BY 1 LIMIT 3", true);
      String a = "'" + some.get(0) + "'";
      String b = "'" + some.get(some.size() - 1) + "'";
      for (String condition :
          List.of(
              "C = " + a,
              a + " = C",
              "C IN (" + a + ", " + b + ")",
              "C IN (" + a + ", 'no address', " + b + ")",
              "C IN (" + a + ", '0:0:0:0:0:ffff:1.2.3.4', '::1')",
              "C NOT IN (" + a + ")",
              "C IN (" + a + ") OR proto = 6",
              "C IN (" + a + ", " + b + ") AND C <> " + b,
              "C = " + a + " AND C = " + b,
              "proto = 6 AND C IN (" + b + ")",
              "C IN (" + (a + ", " + b + ", ").repeat(20) + a + ")")) {
        String tail = isOneRow ? "" : " GROUP BY ALL ORDER BY ALL";
        String sql = select.replace("ADDRESS", column) + " WHERE ";
        List<String> asTexts = rows(sql + condition.replace("C", column + " || ''") + tail, true);
        String asked = sql + condition.replace("C", column) + tail;
        assertThat(rows(asked, true)).as(asked).isEqualTo(asTexts);
        assertThat(rows(asked, false)).as(asked).isEqualTo(asTexts);
      }
    }
  }

  @Test
  void noTextIsMadeOfEachRowsAddress() {
    List<String> some = rows("SELECT DISTINCT src_addr FROM flows ORDER BY 1 LIMIT 2", true);
    String list = "('" + String.join("', '", some) + "')";
    String sql = "EXPLAIN SELECT src_addr, dst_port FROM flows WHERE src_addr%s IN " + list;
    String dotOfAddresses = "'.'";
    assertThat(rows(sql.formatted(""), true).toString()).doesNotContain(dotOfAddresses);
    assertThat(rows(sql.formatted(" || ''"), true).toString()).contains(dotOfAddresses);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "time > now() - INTERVAL 10 SECOND",
        "time BETWEEN now() - INTERVAL 100 YEAR AND current_timestamp",
        "proto = 6 AND time >= current_date - 36500 AND time < current_date",
        "time > (now() - INTERVAL 100 YEAR)::TIMESTAMP OR proto = 6",
      })
  void computedTimesMatchLikeThoseOnRows(String condition) {
    for (String select :
        List.of(
            "SELECT count(DISTINCT src_addr), min(time) FROM flows",
            "SELECT f.src_as_name, count(DISTINCT bytes) FROM flows f",
            "SELECT *, (SELECT count(DISTINCT bytes) FROM flows) FROM flows_committed")) {
      String tail = select.contains("name,") ? " GROUP BY 1 ORDER BY 1" : " ORDER BY ALL LIMIT 9";
      String asked = select + " WHERE " + condition + tail;
      String each = asked.replaceFirst("(?<= )time\\b(?! FROM)", "(time + INTERVAL 0 DAY)");
      assertThat(rows(asked, true)).as(asked).isEqualTo(rows(each, true));
    }
  }

  /** According to the column's statistics, no row arrived within ten seconds. */
  @Test
  void rowsOfOtherTimesAreNotRead() {
    String sql = "EXPLAIN SELECT count(DISTINCT bytes) FROM flows WHERE time > now()%s";
    assertThat(rows(sql.formatted(""), true).toString()).doesNotContain("Sequential Scan");
    assertThat(rows(sql.formatted(" OR bytes = 1"), true).toString()).contains("Sequential Scan");
  }

  /** The sample is taken before the WHERE clause, so few of its rows have one of the addresses. */
  @Test
  void aSampleIsTakenOfAllRows() {
    String some = rows("SELECT src_addr FROM flows WHERE src_addr <> '' LIMIT 1", true).get(0);
    String asked = "SELECT count(*) FROM flows WHERE src_addr = '" + some + "' USING SAMPLE 1 ROWS";
    assertThat(IntStream.range(0, 5).mapToObj(i -> rows(asked, true).get(0))).contains("0");
  }
}
