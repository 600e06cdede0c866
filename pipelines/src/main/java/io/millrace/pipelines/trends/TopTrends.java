package io.millrace.pipelines.trends;

import io.millrace.analytics.alerts.AlertKind;
import io.millrace.analytics.trend.TrendRows;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.alerts.AlertSource;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The trends of the newest bucket that has any, highest score first. Thread-safe. */
public final class TopTrends {
  private static final Duration TIME = Duration.ofSeconds(10);
  private static final List<String> NUMBERS =
      List.of("count", "expectation", "lower", "upper", "score");

  private final Store store;
  private final String table;
  private final List<String> texts;

  /**
   * Creates queries on a table of trends.
   *
   * @param texts columns that identify a trend
   */
  public TopTrends(Store store, String table, List<String> texts) {
    this.store = store;
    this.table = table;
    this.texts = Stream.concat(texts.stream(), Stream.of("kind")).toList();
  }

  /**
   * The trends of a table, for alerts.
   *
   * @param by SQL expression for the kind of the keys
   * @param measure name of the counted measure
   */
  public static AlertSource alerts(String table, String by, String key, String measure) {
    return new AlertSource(
        List.of(AlertKind.TREND),
        """
        SELECT bucket AS time, '%s' AS kind, %s AS "by", %s AS key, '%s' AS measure,
          count AS value, round(expectation)::BIGINT AS baseline, NULL::DOUBLE AS share,
          bucket_end AS until
        FROM %s WHERE stage = '%s'\
        """
            .formatted(AlertKind.TREND.label(), by, key, measure, table, TrendRows.FINAL));
  }

  /** Response to {@code n=10}. */
  public Map<String, Object> query(ApiEndpoint.Parameters parameters) {
    int limit = parameters.intParameter("n", 10, 1, 10_000);
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("bucket", null);
    List<Object> rows = new ArrayList<>();
    try (QueryResult result =
        store.query(
            new QueryRequest(
                """
                SELECT bucket::VARCHAR, series, %s, %s FROM %s
                WHERE stage = '%s' AND bucket = (
                  SELECT coalesce(max(bucket) FILTER (WHERE bucket <= now()::TIMESTAMP), max(bucket))
                  FROM %s WHERE stage = '%s')
                ORDER BY score DESC, %s LIMIT %d\
                """
                    .formatted(
                        String.join(", ", texts),
                        String.join(", ", NUMBERS),
                        table,
                        TrendRows.FINAL,
                        table,
                        TrendRows.FINAL,
                        String.join(", ", texts),
                        limit),
                TIME,
                Long.MAX_VALUE,
                false))) {
      while (result.next()) {
        response.put("bucket", result.value(0).toString().replace(' ', 'T') + "Z");
        Map<String, Object> row = new LinkedHashMap<>();
        int column = 2;
        for (String text : texts) {
          row.put(text, result.value(column++).toString());
        }
        for (String number : NUMBERS) {
          row.put(number, result.value(column++));
        }
        row.put("series", series(result.value(1).toString()));
        rows.add(row);
      }
    }
    response.put("rows", rows);
    return response;
  }

  private static List<Long> series(String counts) {
    return Arrays.stream(counts.split(" ", -1)).map(Long::valueOf).toList();
  }
}
