package io.millrace.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Query results in a comparable form. */
public final class AnswerRows {
  private static final int MAX = 1_000_000;

  private AnswerRows() {}

  /** Rows of a result, values separated by bars; at most a million. */
  public static List<String> of(Store store, String sql) {
    return of(store.query(new QueryRequest(sql, Duration.ofMinutes(1), MAX)));
  }

  /** Rows of a result, which is closed. */
  public static List<String> of(QueryResult answer) {
    List<String> rows = new ArrayList<>();
    try (answer) {
      while (answer.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 0; i < answer.columns().size(); i++) {
          row.add(String.valueOf(answer.value(i)));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }

  /** Rows of a result after its column names. */
  public static List<String> withColumns(QueryResult answer) {
    List<String> rows = new ArrayList<>();
    rows.add(answer.columns().toString());
    rows.addAll(of(answer));
    return rows;
  }

  public static long number(Store store, String sql) {
    try (QueryResult answer = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 1))) {
      if (!answer.next()) {
        throw new AssertionError("no row: " + sql);
      }
      return ((Number) answer.value(0)).longValue();
    }
  }
}
