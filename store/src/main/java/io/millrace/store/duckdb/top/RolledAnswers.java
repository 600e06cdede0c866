package io.millrace.store.duckdb.top;

import io.millrace.store.FlowQuery;
import io.millrace.store.SeriesResult;
import io.millrace.store.duckdb.snapshot.StoredRows;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Results as of the newest roll, for all clients with the same query until the next one: the
 * viewers of a page, and the same page again. Names may be reported at any time, so none is kept
 * for long. Thread-safe.
 */
final class RolledAnswers {
  private static final int MOST = 256;

  private static final int MAX_POINTS = 10_000;

  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LinkedHashMap<Question, Answer> answers = new LinkedHashMap<>(16, 0.75f, true);

  record Question(FlowQuery request, Accounting accounting, long mostRows) {}

  private record Answer(StoredRows rows, SeriesResult result, long nanos) {}

  synchronized Optional<SeriesResult> find(Question question, StoredRows rows) {
    Answer answer = answers.get(question);
    return answer != null
            && answer.rows.equals(rows)
            && System.nanoTime() - answer.nanos < LONGEST_NANOS
        ? Optional.of(answer.result)
        : Optional.empty();
  }

  synchronized void keep(Question question, StoredRows rows, SeriesResult result) {
    int points = result.period().total().rates().length;
    if (points * (result.period().groups().size() + 2L) > MAX_POINTS) {
      return;
    }
    answers.put(question, new Answer(rows, result, System.nanoTime()));
    Iterator<Question> oldest = answers.keySet().iterator();
    while (answers.size() > MOST) {
      oldest.next();
      oldest.remove();
    }
  }
}
