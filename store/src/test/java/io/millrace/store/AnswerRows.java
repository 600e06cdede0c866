package io.millrace.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Answers as tests compare them. */
public final class AnswerRows {
  private static final int MOST = 100_000;

  private AnswerRows() {}

  /** Each row of an answer as its values with bars between; at most 100,000. */
  public static List<String> of(Store store, String sql) {
    List<String> rows = new ArrayList<>();
    try (QueryResult result = store.query(new QueryRequest(sql, Duration.ofMinutes(1), MOST))) {
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 0; i < result.columns().size(); i++) {
          row.add(String.valueOf(result.value(i)));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }
}
