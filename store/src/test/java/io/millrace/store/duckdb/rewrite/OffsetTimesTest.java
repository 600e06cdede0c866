package io.millrace.store.duckdb.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.AnswerRows;
import io.millrace.store.Flows;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.duckdb.DuckDbStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A time with an offset is an instant. The flows are of 2023-11-14 22:13:20 UTC. */
class OffsetTimesTest {
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

  private static List<String> rows(String sql, String... parameters) {
    return AnswerRows.of(
        store.query(new QueryRequest(sql, Duration.ofMinutes(1), 100, false, List.of(parameters))));
  }

  /** AFTER and BEFORE are an hour from the rows, by clocks that show the opposite. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "time >= BEFORE AND time < AFTER",
        "time BETWEEN BEFORE AND AFTER",
        "AFTER > time AND BEFORE < time",
        "time >= TIMESTAMP BEFORE AND time < TIMESTAMP AFTER",
        "time >= TIMESTAMPTZ BEFORE AND time < TIMESTAMPTZ AFTER",
        "time >= BEFORE::TIMESTAMP AND time < CAST(AFTER AS TIMESTAMPTZ)",
        "time >= BEFORE::DATETIME AND time < TRY_CAST(AFTER AS TIMESTAMP_MS)",
        "time_bucket(INTERVAL 1 MINUTE, time) >= BEFORE AND date_trunc('minute', time) < AFTER",
        "time >= greatest(BEFORE, TIMESTAMP '2001-01-01') AND time < coalesce(NULL, TIMESTAMP AFTER)",
        "time >= BEFORE::VARCHAR::TIMESTAMP AND time < ([AFTER]::TIMESTAMP[])[1]",
        "time >= date_trunc('second', TIMESTAMP BEFORE) AND now() > AFTER",
        "date_diff('second', BEFORE, time) > 0 AND date_diff('second', time, AFTER) > 0",
        "age(time, BEFORE) > INTERVAL 1 MINUTE AND age(AFTER, time) > INTERVAL 1 MINUTE",
        "time > (SELECT min(x) FROM (VALUES (TIMESTAMP BEFORE), (AFTER)) v(x)) AND time < (SELECT max(x) FROM (VALUES (TIMESTAMP BEFORE), (AFTER)) v(x))",
        "EXISTS (FROM generate_series(TIMESTAMP BEFORE, AFTER, INTERVAL 1 MINUTE) g(x) WHERE x = date_trunc('second', time))",
        "time NOT BETWEEN AFTER AND '2999-01-01 00:00:00 Europe/Berlin'",
        "EXISTS (SELECT 1 FROM (VALUES (BEFORE, AFTER)) v(a, b) WHERE time >= a::TIMESTAMP AND time < b::TIMESTAMP)",
        "log_index IN (SELECT log_index FROM flows_committed UNION SELECT log_index FROM flows WHERE time > BEFORE AND time < AFTER)",
      })
  void isAnInstantInEachCondition(String condition) {
    String before = "'2023-11-15T02:13:20+05:00'";
    String after = "'2023-11-14 18:13:20.5-0500'";
    String sql = "SELECT count(*) FROM flows WHERE ";
    assertThat(rows(sql + condition.replace("BEFORE", before).replace("AFTER", after)))
        .as("%s", condition)
        .containsExactly("40");
    String swapped =
        condition
            .replace("BEFORE", "'2023-11-14 21:13:20-05'")
            .replace("AFTER", "'2023-11-15 03:00:00+05'");
    assertThat(rows(sql + swapped)).as("%s", swapped).isNotEqualTo(List.of("40"));
  }

  @Test
  void isAnInstantInASelectAndAParameter() {
    assertThat(
            rows(
                "SELECT TIMESTAMP '2026-01-01T00:00:00+02:00', DATE '2026-01-01 00:00:00+02:00',"
                    + " TIMESTAMPTZ '2026-01-01 00:00:00+02', '2026-01-01 00:00:00 Asia/Tokyo'::TIMESTAMP,"
                    + " '2026-01-01T00:00:00Z'::TIMESTAMP"))
        .containsExactly(
            "2025-12-31 22:00:00.0|2025-12-31|2025-12-31T22:00Z|2025-12-31 15:00:00.0|2026-01-01 00:00:00.0");
    assertThat(
            rows(
                "SELECT count(*) FROM flows WHERE time >= ? AND time < ?",
                "'2023-11-15T03:13:20+05:00'",
                "'2023-11-15T03:13:21+05:00'"))
        .containsExactly("40");
  }

  @Test
  void isAnInstantInRowValuesOfAList() {
    assertThat(
            rows(
                "SELECT count(*) FROM flows WHERE (1, date_trunc('hour', time)) IN ((1, '2023-11-15 03:00:00+05:00'),"
                    + " (1, '2001-01-01 00:00:00+05:00'))"))
        .containsExactly("40");
    assertThat(
            rows(
                "SELECT count(*) FROM flows WHERE (1, date_trunc('hour', time)) NOT IN ((1, '2023-11-14 22:00:00+05'))"))
        .containsExactly("40");
    assertThatThrownBy(
            () ->
                rows("SELECT count(*) FROM flows WHERE (time, 1) > ('2023-11-14 22:13:20+05', 1)"))
        .isInstanceOf(QueryException.class)
        .hasMessageContaining("an explicit cast is required");
  }

  @Test
  void aTextStaysAText() {
    assertThat(
            rows(
                "SELECT '2026-01-01T00:00:00+02:00' AS t, count(*) FROM flows WHERE src_as_name <> '2026-01-01T00:00:00+02:00'"))
        .containsExactly("2026-01-01T00:00:00+02:00|30");
    assertThatThrownBy(
            () -> rows("SELECT count(*) FROM flows WHERE time > '2026-01-01 00:00:00 no zone'"))
        .isInstanceOf(QueryException.class);
  }

  @Test
  void isAnInstantWhereAJoinComparesIt() {
    String join =
        "SELECT count(*) FROM flows JOIN (SELECT '%s' AS t) other ON date_trunc('second', flows.time) = other.t";
    assertThat(rows(join.formatted("2023-11-15T03:13:20+05:00"))).containsExactly("40");
    assertThat(rows(join.formatted("2023-11-14 22:13:20+05:00"))).containsExactly("0");
  }

  @Test
  void aTextStaysATextIfAnyTypeIsPossible() {
    assertThat(
            rows("SELECT concat('2026-01-01 00:00:00+02', 1), ['2026-01-01 00:00:00+02']::VARCHAR"))
        .containsExactly("2026-01-01 00:00:00+021|['2026-01-01 00:00:00+02']");
    assertThat(rows("SELECT to_json('2026-01-01 00:00:00+02')::VARCHAR"))
        .containsExactly("\"2026-01-01 00:00:00+02\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT nothing FROM flows WHERE time > '2023-11-15 00:00:00+02'",
        "SELECT count(*) FROM flows WHERE time IN (SELECT '2023-11-15 00:00:00+02'::VARCHAR)",
      })
  void anErrorIsThatOfTheQuery(String sql) {
    assertThatThrownBy(() -> rows(sql))
        .isInstanceOf(QueryException.class)
        .hasMessageStartingWith("Binder Error");
  }

  @Test
  void aColumnKeepsItsName() {
    String written = "SELECT TIMESTAMP '2026-01-01T00:00:00+02:00'";
    try (var result = store.query(new QueryRequest(written, Duration.ofMinutes(1), 1))) {
      assertThat(result.columns().get(0).name())
          .isEqualTo("CAST('2026-01-01T00:00:00+02:00' AS TIMESTAMP)");
    }
  }

  @Test
  void isAnInstantForTheFilterAndForSeries() {
    String rates = "SELECT sum(value) > 0 FROM series('as', since := '%s', until := '%s')";
    assertThat(rows(rates.formatted("2023-11-15T03:13:20+05:00", "2023-11-15 03:14:20+05:00")))
        .containsExactly("true");
    String filtered =
        "SELECT sum(value) > 0 FROM series('as', filter := 'time %s 2023-11-15T03:13:20+05:00')";
    assertThat(rows(filtered.formatted(">="))).containsExactly("true");
    assertThat(rows(filtered.formatted("<"))).isNotEqualTo(List.of("true"));
  }
}
