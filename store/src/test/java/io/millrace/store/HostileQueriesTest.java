package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.pulse.ChildProcess;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.duckdb.DuckDbStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries that exceed their memory, time or disk limits. */
class HostileQueriesTest {
  private static final boolean LONG = Boolean.getBoolean("millrace.long");
  private static final long LONG_MILLIS = 5_000;
  private static final long MAX_LATE_MILLIS = 1_000;
  private static final int HEAP_MIB = 256;
  private static final int STORE_MIB = 64;
  private static final int PROMISED_MIB = HEAP_MIB + STORE_MIB + 1536;

  @TempDir static Path directory;
  private static DuckDbStore store;

  @BeforeAll
  static void open() {
    store = new DuckDbStore(directory.resolve("store"), StoreConfig.defaults());
    try (FlowWriter writer = store.table(Store.FLOWS, Flows.SCHEMA).writer()) {
      writer.append(Flows.joined(40, 0, 1));
      writer.flush();
    }
  }

  @AfterAll
  static void close() {
    store.close();
  }

  static List<String> rejected() {
    return HostileQueries.rejected();
  }

  @ParameterizedTest
  @MethodSource
  void rejected(String sql) {
    QueryException failure =
        catchThrowableOfType(QueryException.class, () -> StoreContract.rows(store, sql));
    assertThat(failure).isNotNull();
    assertThat(failure.reason()).isEqualTo(Reason.NOT_ALLOWED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT len(range(1000)) = 1000",
        "SELECT count(*) = 1000 FROM range(1000)",
        "SELECT sum(i) = 499500 FROM (SELECT unnest(range(1000)) AS i)",
        "SELECT sum(len(range(1 + date_diff('minute', time, time + INTERVAL 3 MINUTE)))) = 160 FROM"
            + " flows",
        "SELECT count(*) = 1 FROM (SELECT proto, string_agg(src_as_name, ',' ORDER BY time) FROM"
            + " flows GROUP BY proto)",
        "SELECT string_agg(DISTINCT proto, ',') = '6' FROM flows",
        "SELECT len(list(bytes)) = 40 FROM flows",
        "SELECT array_to_string(list_sort(list(DISTINCT proto)), '+') = '6' FROM flows",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 1000) SELECT"
            + " max(n) = 1000 FROM t",
        "WITH RECURSIVE t(n, path) AS (SELECT 1, '1' UNION ALL SELECT n + 1, path || ',' || n FROM"
            + " t WHERE n < 100) SELECT max(length(path)) > 100 FROM t",
        "SELECT lpad(to_hex(255), 4, '0') = '00FF'",
        "SELECT repeat('#', length('abc')) = '###'",
        "SELECT printf('%05.1f', 2.5) = '002.5' AND format('{:,}', 1234) = '1,234'",
        "SELECT list_transform([1, 2], lambda x: x + 1) = [2, 3]",
        "SELECT max(j -> '$.a')::VARCHAR = '1' FROM (SELECT '{\"a\": 1}'::JSON AS j)",
        "SELECT [x * 2 FOR x IN range(3) IF x > 0] = [2, 4]",
        "SELECT list_reduce([1, 2, 3], lambda a, b: a + b) = 6",
        "SELECT count(*) = 40 FROM (SELECT upper(src_as_name) AS src_as_name, src_as_name || ' ' ||"
            + " dst_as_name AS pair FROM flows)",
        "SELECT split_part(regexp_replace('a.b.c', '[.]', '-', 'g'), '-', 2) = 'b'",
      })
  void answered(String sql) {
    assertThat(StoreContract.rows(store, sql)).containsExactly("true");
  }

  @Test
  void namesOfColumnsStayAsTheyAreWritten() {
    String sql = "SELECT proto, string_agg(DISTINCT proto, ',') FROM flows GROUP BY proto";
    try (QueryResult result = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 10))) {
      assertThat(result.columns())
          .extracting(QueryResult.Column::name)
          .containsExactly("proto", "string_agg(DISTINCT proto, ',')");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT g, string_agg(i::VARCHAR, ',') FROM (SELECT i, i % 2 AS g FROM range(100000) t(i))"
            + " GROUP BY g",
        "SELECT length(repeat('a', i::INTEGER)) FROM range(100000, 100001) t(i)",
        "SELECT len(range(i)) FROM range(100000, 100001) t(i)",
      })
  void cancelsCollectingTooMuchWithAReason(String sql) {
    QueryException failure =
        catchThrowableOfType(QueryException.class, () -> StoreContract.rows(store, sql));
    assertThat(failure.reason()).isEqualTo(Reason.WRONG);
    assertThat(failure).hasMessageContaining("more than");
  }

  /**
   * In its long form, also selected by {@code -Dmillrace.hostile.millis=5000}, each query has five
   * seconds and must end within one more.
   */
  @Test
  void theProcessStaysWithinItsMemory() throws Exception {
    assumeThat(Files.exists(Path.of("/proc/self/status"))).isTrue();
    String millis = System.getProperty("millrace.hostile.millis", LONG ? "5000" : "200");
    String times = System.getProperty("millrace.hostile.times", "1");
    List<String> options =
        List.of(
            "-Xmx" + HEAP_MIB + "m",
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError",
            "-Dmillrace.hostile.print=" + Boolean.getBoolean("millrace.hostile.print"));
    String other = directory.resolve("other").toString();
    List<String> arguments = List.of(other, Integer.toString(STORE_MIB), millis, "4", times);
    String said;
    try (ChildProcess process =
        ChildProcess.start(
            directory.resolve("out"),
            ChildProcess.java(options, HostileQueries.class, arguments))) {
      int status = process.status();
      said = process.output();
      System.out.println(said);
      assertThat(status).as(said).isZero();
    }
    assertThat(number(said, "rows missing (-?\\d+)")).isZero();
    assertThat(number(said, "rows written (\\d+)")).isPositive();
    assertThat(number(said, "begun again (\\d+)")).as(said).isZero();
    assertThat(number(said, "resident (\\d+)")).isBetween(1L, (long) PROMISED_MIB);
    if (Long.parseLong(millis) >= LONG_MILLIS) { // a shorter time is soon over on a busy machine
      assertThat(number(said, "behind time (-?\\d+)"))
          .as(said)
          .isLessThanOrEqualTo(MAX_LATE_MILLIS);
    }
  }

  private static long number(String said, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(said);
    assertThat(matcher.find()).as(said).isTrue();
    return Long.parseLong(matcher.group(1));
  }
}
