package io.millrace.lab.endtoend;

import io.millrace.lab.harness.WrongResultException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.traffic.TruthCounter;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Checks the published query for the largest AS pairs against the sender's counts. The AS table
 * must have one name per AS, as the bundled one does, because the query groups by name.
 */
final class TopPairsCheck {
  private record AsPair(long src, long dst) {}

  private final Map<AsPair, Long> truth = new HashMap<>();

  TopPairsCheck(TruthCounter counter) {
    for (TruthCounter.Pair pair : counter.pairs()) {
      truth.merge(new AsPair(pair.srcAs(), pair.dstAs()), pair.samples(), Long::sum);
    }
  }

  /**
   * Runs and checks the query, which returns source, destination and count, largest first.
   *
   * @throws WrongResultException if a count is wrong or a larger pair is missing
   */
  void check(Store store, String sql) {
    List<Long> largest = truth.values().stream().sorted(Comparator.reverseOrder()).toList();
    Iterator<Long> expected = largest.iterator();
    try (QueryResult result = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 100))) {
      int rows = 0;
      for (; result.next(); rows++) {
        AsPair pair = new AsPair(number(result.value(0)), number(result.value(1)));
        long count = ((Number) result.value(2)).longValue();
        WrongResultException.check(pair + " of " + sql, truth.getOrDefault(pair, 0L), count);
        WrongResultException.check("count in row " + (rows + 1), expected.next(), count);
      }
      WrongResultException.check("rows of " + sql, Math.min(10, largest.size()), rows);
    }
  }

  /** The number in {@code AS13335 Cloudflare, Inc.} */
  private static long number(Object name) {
    String text = String.valueOf(name);
    int end = text.indexOf(' ');
    if (end < 3 || !text.startsWith("AS")) {
      throw new WrongResultException(text + " is not an AS number with a name");
    }
    return Long.parseLong(text.substring(2, end));
  }
}
