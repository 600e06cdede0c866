package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.store.QueryException.Reason;
import io.millrace.store.duckdb.DuckDbStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries with parameters: description before the run, and cancellation. */
class QueryParametersTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final String ENDLESS =
      "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c";

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

  private static QueryRequest request(String sql, Object... values) {
    List<String> literals = Stream.of(values).map(SqlLiteral::of).toList();
    return new QueryRequest(sql, TIMEOUT, 100, false, literals);
  }

  private static List<Object> row(String sql, Object... values) {
    try (QueryResult result = store.query(request(sql, values).withLists())) {
      assertThat(result.next()).isTrue();
      Object[] row = new Object[result.columns().size()];
      Arrays.setAll(row, result::exact);
      return Arrays.asList(row);
    }
  }

  @Test
  void replacesParametersWithValues() {
    assertThat(row("SELECT ?, 'é?' AS \"a ? b\", ? -- ?\n, /* ? $1 */ $$?$$", 1, "x'"))
        .containsExactly(1L, "é?", "x'", "?");
    assertThat(row("SELECT $2 || $1 || $2", "a", "b")).containsExactly("bab");
    assertThat(row("SELECT 1 -?, ?", -5, (Object) LocalDate.of(2026, 1, 2)))
        .containsExactly(6L, LocalDate.of(2026, 1, 2));
    assertThat(row("SELECT count(*) FROM flows WHERE dst_port BETWEEN ? AND ? LIMIT ?", 0, 9, 1))
        .hasSize(1);
    assertThat(row("EXPLAIN SELECT count(*) FROM flows WHERE dst_port = ?", 443)).isNotEmpty();
  }

  @Test
  void reportsMissingAndSurplusValues() {
    QueryException missing =
        catchThrowableOfType(QueryException.class, () -> row("SELECT ? + ?", 1));
    assertThat(missing.reason()).isEqualTo(Reason.WRONG);
    assertThat(missing).hasMessage("the query has 2 parameters, but got 1 values");
    assertThat(catchThrowableOfType(QueryException.class, () -> row("SELECT 1", 1)))
        .hasMessageContaining("0 parameters");
    assertThat(catchThrowableOfType(QueryException.class, () -> row("SELECT $name", 1)))
        .hasMessageContaining("named parameters are not supported");
  }

  @Test
  void parametersAllowNothingElse() {
    for (String sql : List.of("DELETE FROM flows WHERE dst_port = ?", "SELECT getenv(?)")) {
      QueryException rejection = catchThrowableOfType(QueryException.class, () -> row(sql, "HOME"));
      assertThat(rejection).as(sql).isNotNull();
      assertThat(
              catchThrowableOfType(QueryException.class, () -> store.describe(request(sql)))
                  .reason())
          .isEqualTo(Reason.NOT_ALLOWED);
    }
  }

  @Test
  void describesWithoutRunning() {
    QueryShape shape =
        store.describe(
            request("SELECT time, sum(bytes) AS b FROM flows WHERE dst_port = ? GROUP BY 1"));
    assertThat(shape.columns())
        .extracting(column -> column.name() + " " + column.sqlType())
        .containsExactly("time TIMESTAMP", "b HUGEINT");
    assertThat(shape.parameters()).hasSize(1);
    assertThat(shape.parameters().get(0).kind()).isEqualTo(QueryResult.Kind.INTEGER);
    assertThat(store.describe(request(ENDLESS)).columns()).hasSize(1);
    assertThat(store.describe(request("SELECT community_id FROM flows")).columns()).hasSize(1);
    assertThat(
            catchThrowableOfType(
                QueryException.class, () -> store.describe(request("SELECT nothing FROM flows"))))
        .hasMessageContaining("nothing");
  }

  @Test
  void givesValuesAsTheyAre() {
    assertThat(
            row(
                "SELECT TIMESTAMP '2026-01-02 03:04:05.000006', TIMESTAMPTZ '2026-01-02"
                    + " 03:04:05+00', DATE '1969-12-31', TIME '01:02:03', [1, NULL]::BIGINT[],"
                    + " NULL::DATE, NULL::INTEGER[], {'a': 1}, from_hex('00ff')"))
        .satisfies(
            row -> {
              assertThat(row.get(0)).isEqualTo(LocalDateTime.parse("2026-01-02T03:04:05.000006"));
              assertThat(((OffsetDateTime) row.get(1)).toInstant())
                  .hasToString("2026-01-02T03:04:05Z");
              assertThat(row.get(2)).isEqualTo(LocalDate.of(1969, 12, 31));
              assertThat(row.get(3)).isEqualTo(LocalTime.of(1, 2, 3));
              assertThat(row.get(4)).isEqualTo(Arrays.asList(1L, null));
              assertThat(row.get(5)).isNull();
              assertThat(row.get(6)).isNull();
              assertThat(row.get(7)).isEqualTo("{'a': 1}");
              assertThat((byte[]) row.get(8)).containsExactly(0, 0xFF);
            });
  }

  @Test
  void aCancelledQueryEnds() throws InterruptedException {
    Cancellation cancellation = new Cancellation();
    Thread canceller =
        new Thread(
            () -> {
              while (!cancellation.isCancelled()) {
                cancellation.cancel();
              }
            });
    canceller.start();
    QueryException end =
        catchThrowableOfType(
            QueryException.class,
            () -> {
              try (QueryResult result = store.query(request(ENDLESS), cancellation)) {
                result.next();
              }
            });
    canceller.join();
    assertThat(end.reason()).isEqualTo(Reason.CANCELLED);
  }

  @Test
  void aQueryIsCancelledBetweenItsRows() {
    Cancellation cancellation = new Cancellation();
    try (QueryResult result = store.query(request("FROM range(1000)"), cancellation)) {
      assertThat(result.next()).isTrue();
      cancellation.cancel();
      assertThat(catchThrowableOfType(QueryException.class, result::next).reason())
          .isEqualTo(Reason.CANCELLED);
    }
    cancellation.cancel();
  }
}
