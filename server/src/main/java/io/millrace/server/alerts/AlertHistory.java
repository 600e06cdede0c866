package io.millrace.server.alerts;

import io.millrace.pipelines.alerts.AlertSource;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.SqlLiteral;
import io.millrace.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * History of alerts, computed from the result tables of the pipelines and limited by their
 * retention. A table has a row for each window in which a key exceeded its threshold. Rows of a key
 * form one alert unless the gap between two windows exceeds {@code resolveAfter}. Thread-safe.
 *
 * @param sources result tables
 * @param resolveAfter maximum gap between windows of one alert
 */
record AlertHistory(Store store, List<AlertSource> sources, Duration resolveAfter) {
  /** Maximum time before the queried range in which the first window of an alert is searched. */
  static final Duration LOOK_BACK = Duration.ofDays(1);

  private static final Duration TIME_LIMIT = Duration.ofSeconds(10);

  private static final String SQL =
      """
      WITH reported AS (
        SELECT * FROM (%1$s)
        WHERE until >= %2$s AND time < %3$s AND kind IN (%4$s)%5$s),
      runs AS (
        SELECT *, CASE WHEN epoch_us(time) - lag(epoch_us(until)) OVER (
          PARTITION BY kind, "by", key ORDER BY time) - 1 <= %6$d THEN 0 ELSE 1 END AS begins
        FROM reported),
      numbered AS (
        SELECT *, sum(begins) OVER (
          PARTITION BY kind, "by", key ORDER BY time ROWS UNBOUNDED PRECEDING) AS run
        FROM runs)
      SELECT kind, "by", key, min(measure), min(epoch_us(time)), max(epoch_us(until)),
        max(epoch_us(until) - epoch_us(time)) + 1, count(*)::BIGINT, max(value), max(share),
        arg_min(value, time), arg_min(coalesce(baseline, -1), time), min(value)
      FROM numbered
      GROUP BY kind, "by", key, run
      HAVING %7$s
      ORDER BY min(time) DESC, max(value) DESC, kind, "by", key
      LIMIT %8$d\
      """;

  /**
   * An alert.
   *
   * @param measure unit of value and baseline
   * @param firstMicros start of the first window
   * @param lastMicros last microsecond of the last window
   * @param windowMicros length of the longest window
   * @param windows number of windows
   * @param peak maximum value of a window; for a decrease the minimum
   * @param share maximum share of the total, 0 to 1; null if unknown
   * @param baseline value before the first window, for a trend the expected value; null if unknown
   */
  record Alert(
      String kind,
      String by,
      String key,
      String measure,
      long firstMicros,
      long lastMicros,
      long windowMicros,
      long windows,
      long peak,
      Double share,
      Long baseline) {}

  AlertHistory {
    sources = List.copyOf(sources);
  }

  List<Alert> find(AlertQuery query) {
    List<AlertSource> queried =
        sources.stream()
            .filter(source -> source.kinds().stream().anyMatch(query.kinds()::contains))
            .toList();
    List<Alert> alerts = new ArrayList<>();
    if (queried.isEmpty() || query.n() == 0) {
      return alerts;
    }
    try (QueryResult result =
        store.query(new QueryRequest(sql(query, queried), TIME_LIMIT, Long.MAX_VALUE))) {
      while (result.next()) {
        alerts.add(alert(result));
      }
    }
    return alerts;
  }

  private String sql(AlertQuery query, List<AlertSource> queried) {
    String key =
        query
            .key()
            .map(SqlLiteral::of)
            .map(" AND (key = %1$s OR list_contains(string_split(key, ' '), %1$s))"::formatted)
            .orElse("");
    return SQL.formatted(
        queried.stream().map(AlertSource::select).collect(Collectors.joining(" UNION ALL ")),
        // Earlier windows do not extend an alert; a window's last microsecond is one before its
        // end.
        literal(query.from().minus(query.isBegun() ? resolveAfter.plusNanos(1_000) : LOOK_BACK)),
        literal(query.to()),
        query.kinds().stream()
            .map(kind -> SqlLiteral.of(kind.label()))
            .collect(Collectors.joining(", ")),
        key,
        resolveAfter.toNanos() / 1_000,
        (query.isBegun() ? "min(time) >= " : "max(until) >= ") + literal(query.from()),
        query.n());
  }

  private static String literal(Instant instant) {
    return SqlLiteral.of(
        LocalDateTime.ofInstant(instant.truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC));
  }

  private static Alert alert(QueryResult row) {
    long first = number(row, 10);
    long baseline = number(row, 11);
    boolean hasFallen = baseline > first;
    Object share = row.value(9);
    return new Alert(
        row.value(0).toString(),
        row.value(1).toString(),
        row.value(2).toString(),
        row.value(3).toString(),
        number(row, 4),
        number(row, 5),
        number(row, 6),
        number(row, 7),
        hasFallen ? number(row, 12) : number(row, 8),
        share == null ? null : ((Number) share).doubleValue(),
        baseline < 0 ? null : Long.valueOf(baseline));
  }

  private static long number(QueryResult row, int column) {
    return ((Number) row.value(column)).longValue();
  }
}
