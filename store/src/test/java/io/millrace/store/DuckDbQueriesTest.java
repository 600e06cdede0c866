package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.store.QueryException.Reason;
import io.millrace.store.duckdb.DuckDbStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Allowed and rejected queries, and their results. */
class DuckDbQueriesTest {
  @TempDir static Path directory;
  private static DuckDbStore store;

  @BeforeAll
  static void open() {
    store = Flows.store(directory);
  }

  @AfterAll
  static void close() {
    store.close();
  }

  private static List<String> rows(String sql) {
    return StoreContract.rows(store, sql);
  }

  private static QueryException failure(String sql) {
    return catchThrowableOfType(QueryException.class, () -> rows(sql));
  }

  @Test
  void runsThePublishedQueryUnchanged() {
    String sql =
        "SELECT asS, asD, COUNT(*) AS pairCount FROM netdata GROUP BY asS, asD ORDER BY pairCount"
            + " DESC LIMIT 10;";
    assertThat(rows(sql))
        .containsExactlyInAnyOrder(
            "AS64500 Network 0, Inc.|AS64500 Network 0, Inc.|10",
            "AS64501 Network 1, Inc.|AS64501 Network 1, Inc.|10",
            "AS64502 Network 2, Inc.|AS64502 Network 2, Inc.|10",
            "null|null|10");
    try (QueryResult result = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 2))) {
      assertThat(result.columns())
          .containsExactly(
              new QueryResult.Column("asS", "VARCHAR", QueryResult.Kind.TEXT),
              new QueryResult.Column("asD", "VARCHAR", QueryResult.Kind.TEXT),
              new QueryResult.Column("pairCount", "BIGINT", QueryResult.Kind.INTEGER));
      assertThat(result.next()).isTrue();
      assertThat(result.next()).isTrue();
      assertThat(result.next()).isFalse();
      assertThat(result.truncated()).isTrue();
    }
  }

  /** Column families before columns; times in microseconds. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT as.asS, as.asD, COUNT(*) AS pairCount FROM netdata GROUP BY as.asS, as.asD ORDER BY pairCount DESC LIMIT 10",
        "SELECT as.asS, as.asD, COUNT(*) AS pairCount FROM netdata WHERE t BETWEEN 0 AND 9999999999999999 GROUP BY as.asS, as.asD ORDER BY pairCount DESC LIMIT 10;",
        "select AS.asS, n.asD, count(*) as pairCount from netdata as n group by as.ASS, as.asD",
      })
  void takesColumnFamilies(String sql) {
    assertThat(rows(sql))
        .containsExactlyInAnyOrder(
            "AS64500 Network 0, Inc.|AS64500 Network 0, Inc.|10",
            "AS64501 Network 1, Inc.|AS64501 Network 1, Inc.|10",
            "AS64502 Network 2, Inc.|AS64502 Network 2, Inc.|10",
            "null|null|10");
    assertThat(store.describe(new QueryRequest(sql, Duration.ofMinutes(1), 9)).columns())
        .extracting(QueryResult.Column::name)
        .contains("asD", "pairCount");
  }

  @Test
  void leavesNamesThatAreNoFamilies() {
    assertThat(rows("SELECT count(*) FROM netdata")).containsExactly("40");
    assertThat(rows("SELECT count(*) FROM netdata WHERE t BETWEEN 0 AND 5")).containsExactly("0");
    assertThat(rows("SELECT d.proto, dns.portD FROM netdata d, netdata dns LIMIT 1")).hasSize(1);
    assertThat(
            rows(
                "SELECT 'as.asS', \"as.asD\" /* as.asS */ FROM (SELECT 1 AS \"as.asD\"), netdata LIMIT 1"))
        .containsExactly("as.asS|1");
    assertThat(failure("SELECT as.asS, nosuch FROM netdata").position()).isEqualTo(15);
  }

  @Test
  void groupsOverTimeAreATable() {
    SeriesResult series = store.series(FlowQuery.series(FlowQuery.Measure.BITS, "src_as"));
    List<String> expected = new java.util.ArrayList<>();
    for (SeriesResult.Group group : series.period().groups()) {
      for (double rate : group.line().rates()) {
        expected.add(group.key().get(0) + "|" + group.label() + "|" + rate);
      }
    }
    assertThat(expected).hasSizeGreaterThan(3);
    assertThat(rows("SELECT src_as, label, value FROM series('src_as') WHERE label <> 'others'"))
        .isEqualTo(expected);
    assertThat(
            rows(
                "WITH a AS (SELECT * FROM series('src_as', n := 2, measure := 'packets', step := '1h', filter := 'src_as is not null') AS t)"
                    + " SELECT count(DISTINCT a.label), count(DISTINCT b.when_)"
                    + " FROM a, series(last := '1h', step := '1h') b(when_, what, much)"))
        .containsExactly("3|1");
    assertThat(
            rows("SELECT count(*) FROM series('as', since := '2001-01-01', until := '2001-01-02')"))
        .containsExactly("0");
    for (String invalid :
        List.of(
            "series('colour')",
            "series('as', last := 'long')",
            "series('as', lasts := '1h')",
            "series('as', measure := 'grams')",
            "series((SELECT 'as'))",
            "series('as', n := 0)",
            "series('as'), series('as'), series('as'), series('as'), series('as')")) {
      assertThat(failure("SELECT * FROM " + invalid).reason()).as(invalid).isEqualTo(Reason.WRONG);
    }
  }

  /** Each is rewritten on its own, but not inside a UNION. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT dnsS, dnsD, COUNT(*) AS n FROM netdata GROUP BY dnsS, dnsD",
        "SELECT asS, sum(size) FROM netdata GROUP BY 1 ORDER BY 2 DESC",
        "SELECT n.asS, n.portD, min(n.t) FROM netdata n WHERE asS <> 'null' GROUP BY asS, n.portD",
        "SELECT src_addr, max(bytes) FROM flows WHERE dst_addr = '198.51.100.4' GROUP BY src_addr",
        "SELECT src_addr FROM flows WHERE src_addr = '2001:db8::9' AND bytes > 0",
        "SELECT * FROM flows ORDER BY log_index DESC LIMIT 7",
        "SELECT * FROM netdata ORDER BY t DESC LIMIT 3",
        "SELECT t, as.asS FROM netdata WHERE t >= 0 AND t < 9223372036854775807 GROUP BY ALL",
        "SELECT t / 1000, count(*) FROM netdata WHERE t <> 1.5 GROUP BY ALL",
        "SELECT src_dns AS bytes, count(*) FROM flows GROUP BY src_dns",
        "SELECT upper(asS) u, count(*) FROM netdata GROUP BY u",
        "SELECT count(DISTINCT ipS), asS FROM netdata GROUP BY asS",
        "SELECT ipS, ipSI, ipD FROM netdata ORDER BY portD, t LIMIT 20",
        "SELECT asS, count(*) c FROM netdata GROUP BY asS HAVING count(*) > 3",
        "SELECT asS FROM netdata GROUP BY asS ORDER BY asS DESC",
        "SELECT count(*), sum(f.bytes) FROM flows f JOIN netdata n ON n.t = epoch_us(f.time)",
        "WITH flows AS (SELECT 1 AS src_addr) SELECT src_addr FROM flows",
        "SELECT 'é', src_as_name FROM flows WHERE src_as_name LIKE 'Net%'",
        "SELECT count(*) FROM flows_committed",
      })
  void rewrittenQueriesHaveTheSameResults(String sql) {
    assertThat(rows(sql))
        .containsExactlyInAnyOrderElementsOf(
            rows("SELECT * FROM (" + sql + ") WHERE (SELECT count(*) FROM main.flows) > 0"));
  }

  @Test
  void readsAndWritesAddresses() {
    for (String address :
        List.of(
            "0.0.0.0",
            "255.255.255.255",
            "::",
            "::1",
            "1::",
            "2001:db8::1:0:0:1",
            "1:0:2:3:4:5:6:7",
            "2001:db8:0:1:1:1:1:1",
            "ff02::fb",
            "1:0:0:2::3")) {
      assertThat(rows("SELECT ip_text(ip('" + address + "'))")).containsExactly(address);
    }
    assertThat(rows("SELECT ip_text(ip('0:0:1:0:0:0:1:1'))")).containsExactly("0:0:1::1:1");
    assertThat(rows("SELECT count(*) FROM raw.flows WHERE in_subnet(src_addr, '192.0.2.0/29')"))
        .containsExactly("8");
    assertThat(rows("SELECT count(*) FROM raw.flows WHERE in_subnet(src_addr, '2001:db8::/32')"))
        .containsExactly("4");
  }

  /** Unchanged, rewritten, or streamed. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT src_as_name::INTEGER FROM flows",
        "SELECT src_as_name, sum(src_as_name::INTEGER) FROM flows GROUP BY 1",
        "SELECT sum(name::INTEGER) FROM names",
        "SELECT count(*) FROM flows WHERE time > 'Net'",
      })
  void reportsWhyARunningQueryFailed(String sql) {
    assertThat(failure(sql).getMessage()).contains("Conversion Error", "Net");
  }

  @Test
  void reportsDuckDbsErrorAndPosition() {
    QueryException unknown = failure("SELECT nosuch FROM flows");
    assertThat(unknown.reason()).isEqualTo(Reason.WRONG);
    assertThat(unknown).hasMessageContaining("nosuch").hasMessageContaining("LINE 1");
    assertThat(unknown.position()).isEqualTo(7);
    QueryException syntax = failure("SELECT 1,\n  FROM WHERE");
    assertThat(syntax.reason()).isEqualTo(Reason.WRONG);
    assertThat(syntax.position()).isEqualTo(17);
    assertThat(failure("SELECT * FROM nosuchtable"))
        .hasMessageContaining("nosuchtable does not exist");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "EXPLAIN SELECT asS FROM netdata GROUP BY asS",
        "explain analyze SELECT 1",
        "DESCRIBE flows",
        "SUMMARIZE SELECT bytes FROM flows",
        "SHOW TABLES",
        "VALUES (1), (2)",
        "FROM flows LIMIT 1",
        "SELECT * FROM range(3), unnest([1, 2])",
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 5) FROM r",
        "SELECT column_name FROM information_schema.columns",
      })
  void runsHarmlessStatements(String sql) {
    assertThat(rows(sql)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('millrace.duckdb')",
        "SELECT * FROM read_duckdb('millrace.duckdb')",
        "SELECT * FROM parquet_scan('x')",
        "SELECT * FROM arrow_scan(1, 2, 3)",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "FROM '/etc/passwd'",
        "FROM 'x.csv'",
        "SELECT (SELECT count(*) FROM '/etc/passwd')",
        "WITH \"x.csv\" AS (SELECT 1) FROM 'x.csv'",
        "COPY flows TO 'x.csv'",
        "COPY (SELECT 1) TO 'x.csv'",
        "EXPORT DATABASE 'x'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO 'x.csv'",
        "EXPLAIN ANALYZE DELETE FROM raw.flows",
        "ATTACH 'x.db'",
        "ATTACH ':memory:' AS m",
        "DETACH millrace",
        "USE memory",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 1",
        "SET lock_configuration = false",
        "RESET threads",
        "PRAGMA database_list",
        "PRAGMA version",
        "CALL pragma_version()",
        "CHECKPOINT",
        "SELECT * FROM checkpoint()",
        "SELECT * FROM force_checkpoint('millrace')",
        "CREATE TABLE t(i INTEGER)",
        "CREATE TEMP TABLE t AS SELECT 1",
        "CREATE MACRO m() AS 1",
        "INSERT INTO names VALUES (1, 'x')",
        "UPDATE names SET name = 'x'",
        "DELETE FROM raw.flows",
        "DROP VIEW netdata",
        "TRUNCATE raw.flows",
        "ALTER TABLE names ADD COLUMN x INTEGER",
        "BEGIN; DELETE FROM raw.flows; COMMIT",
        "SELECT 1; DROP TABLE raw.flows",
        "SELECT 1; SELECT 2",
        "PREPARE p AS SELECT 1",
        "EXECUTE p",
        "SET VARIABLE x = 1",
        "VACUUM",
        "SELECT getenv('HOME')",
        "SELECT current_setting('temp_directory')",
        "SELECT write_log('x')",
        "SELECT sleep_ms(100000)",
        "SELECT * FROM query('DELETE FROM raw.flows')",
        "SELECT * FROM query_table('flows')",
        "SELECT * FROM json_execute_serialized_sql('{}')",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM duckdb_secrets()",
        "FROM duckdb_settings",
        "FROM raw.about",
        "FROM sqlite_master",
        "SHOW DATABASES",
        "WITH d AS (DELETE FROM raw.flows RETURNING 1) SELECT * FROM d",
        "",
      })
  void rejects(String sql) throws Exception {
    assertThatThrownBy(() -> rows(sql)).isInstanceOf(QueryException.class);
    assertThat(rows("SELECT count(*) FROM flows")).containsExactly("40");
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .allMatch(
              name ->
                  name.startsWith(DuckDbStore.FILE_NAME)
                      || name.equals("tables")
                      || name.equals("tmp")
                      || name.equals("exchange"));
    }
    assertThat(directory.resolve("exchange")).isEmptyDirectory();
  }

  @Test
  void cancelsAQueryAtItsTimeLimit() {
    QueryRequest endless =
        new QueryRequest("SELECT count(*) FROM range(1000000000000) a", Duration.ofMillis(100), 10);
    QueryException failure =
        catchThrowableOfType(
            QueryException.class,
            () -> {
              try (QueryResult result = store.query(endless)) {
                result.next();
              }
            });
    assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT);
    assertThat(rows("SELECT 1")).containsExactly("1");
  }

  @Test
  void aConditionOnAnOuterTableIsNotAnInnerOne() {
    assertThat(
            rows(
                "SELECT count(*) FROM flows g WHERE log_index < 3 AND (SELECT count(*) FROM flows f"
                    + " WHERE g.src_addr = '192.0.2.1' AND f.log_index >= 0) = 40"))
        .containsExactly("1");
    assertThat(rows("SELECT f.dst_port FROM flows AS f WHERE f.src_addr = '192.0.2.1'"))
        .containsExactly("40001");
    assertThat(rows("SELECT max(a) FROM flows f(a) WHERE a IS NULL")).containsExactly("null");
  }

  @Test
  void returnsValuesInTheirKinds() {
    try (QueryResult result =
        store.query(
            new QueryRequest(
                "SELECT true, 1::UINTEGER, 2.5::DOUBLE, 1.25, 18446744073709551615::UBIGINT, [1],"
                    + " NULL::INTEGER",
                Duration.ofSeconds(9),
                10))) {
      assertThat(result.next()).isTrue();
      assertThat(result.value(0)).isEqualTo(true);
      assertThat(result.value(1)).isEqualTo(1L);
      assertThat(result.value(2)).isEqualTo(2.5);
      assertThat(result.value(3)).isEqualTo(new java.math.BigDecimal("1.25"));
      assertThat(result.value(4)).hasToString("18446744073709551615");
      assertThat(result.value(5)).isEqualTo("[1]");
      assertThat(result.value(6)).isNull();
    }
  }

  @Test
  void nestedValuesAreTexts() {
    assertThat(
            AnswerRows.of(
                store.query(
                    new QueryRequest(
                        "SELECT map(range(2), ['a', 'b']) AS m, 1 AS n, {'t': [TIMESTAMP '2026-01-01']} AS s,"
                            + " [[1], [2, 3]] AS l, [{'a': 'b'}] AS ls, [TIMESTAMP '2026-01-01 10:00:00'] AS lt; -- end",
                        Duration.ofMinutes(1),
                        10))))
        .containsExactly(
            "{0=a, 1=b}|1|{'t': ['2026-01-01 00:00:00']}|[[1], [2, 3]]|[{'a': b}]|['2026-01-01 10:00:00']");
  }

  @Test
  void lengthsOfReturnedListsAreBounded() {
    String sql = "SELECT range(%d)::VARCHAR[] FROM range(2)";
    QueryRequest few = new QueryRequest(sql.formatted(3), Duration.ofMinutes(1), 10).withLists();
    try (QueryResult result = store.query(few)) {
      assertThat(result.columns().get(0).sqlType()).isEqualTo("VARCHAR[]");
      assertThat(result.next()).isTrue();
      assertThat(result.exact(0)).isEqualTo(List.of("0", "1", "2"));
    }
    QueryRequest many =
        new QueryRequest(sql.formatted(2_000), Duration.ofMinutes(1), 10).withLists();
    assertThatThrownBy(
            () -> {
              try (QueryResult result = store.query(many)) {
                result.next();
              }
            })
        .isInstanceOf(QueryException.class)
        .hasMessageContaining("list of more than 8192 characters");
  }
}
