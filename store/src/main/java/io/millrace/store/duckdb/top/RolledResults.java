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
 * Cache of results as of the newest roll, valid until the next one: for the viewers of a page, and
 * for repeated requests. Entries expire soon, as names may be reported at any time. Thread-safe.
 */
final class RolledResults {
  private static final int MAX_ENTRIES = 256;

  private static final int MAX_POINTS = 10_000;

  private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LinkedHashMap<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

  record Key(FlowQuery request, Accounting accounting, long maxRows) {}

  private record Entry(StoredRows rows, SeriesResult result, long nanos) {}

  synchronized Optional<SeriesResult> find(Key key, StoredRows rows) {
    Entry entry = entries.get(key);
    return entry != null
            && entry.rows.equals(rows)
            && System.nanoTime() - entry.nanos < MAX_AGE_NANOS
        ? Optional.of(entry.result)
        : Optional.empty();
  }

  synchronized void keep(Key key, StoredRows rows, SeriesResult result) {
    int points = result.period().total().rates().length;
    if (points * (result.period().groups().size() + 2L) > MAX_POINTS) {
      return;
    }
    entries.put(key, new Entry(rows, result, System.nanoTime()));
    Iterator<Key> oldest = entries.keySet().iterator();
    while (entries.size() > MAX_ENTRIES) {
      oldest.next();
      oldest.remove();
    }
  }
}
