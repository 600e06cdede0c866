package io.millrace.pipelines.trends;

import io.millrace.analytics.trend.TrendRows;
import io.millrace.pipelines.Question;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The trends of the newest bucket that has some, the greatest score first. Thread-safe. */
final class TopTrends {
  private static final Duration TIME = Duration.ofSeconds(10);
  private static final List<String> NUMBERS =
      List.of("count", "expectation", "lower", "upper", "score");

  private final Store store;

  TopTrends(Store store) {
    this.store = store;
  }

  /** The answer to {@code n=10}. */
  Map<String, Object> answer(Question.Parameters asked) {
    int most = asked.intParameter("n", 10, 1, 10_000);
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("bucket", null);
    List<Object> rows = new ArrayList<>();
    try (QueryResult result =
        store.query(
            new QueryRequest(
                """
                SELECT bucket::VARCHAR, keyword, kind, series, %s FROM %s
                WHERE stage = '%s' AND bucket = (SELECT max(bucket) FROM %s WHERE stage = '%s')
                ORDER BY score DESC, keyword LIMIT %d\
                """
                    .formatted(
                        String.join(", ", NUMBERS),
                        TrendsPipeline.NAME,
                        TrendRows.FINAL,
                        TrendsPipeline.NAME,
                        TrendRows.FINAL,
                        most),
                TIME,
                Long.MAX_VALUE,
                false))) {
      while (result.next()) {
        answer.put("bucket", result.value(0).toString().replace(' ', 'T') + "Z");
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("keyword", result.value(1).toString());
        row.put("kind", result.value(2).toString());
        row.put("series", series(result.value(3).toString()));
        for (int i = 0; i < NUMBERS.size(); i++) {
          row.put(NUMBERS.get(i), result.value(4 + i));
        }
        rows.add(row);
      }
    }
    answer.put("rows", rows);
    return answer;
  }

  private static List<Long> series(String counts) {
    return Arrays.stream(counts.split(" ", -1)).map(Long::valueOf).toList();
  }
}
