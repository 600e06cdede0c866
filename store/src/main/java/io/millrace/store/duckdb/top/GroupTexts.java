package io.millrace.store.duckdb.top;

import io.millrace.store.QueryResult;
import io.millrace.store.duckdb.schema.ReportedColumn;
import io.millrace.store.duckdb.schema.ViewColumn;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Cache of groups as text, the most recently used. The largest groups of a dashboard stay the same
 * for hours, and looking up ten names in SQL takes longer than ranking a week. Ids map to texts one
 * to one, so entries stay valid; names that devices report are valid for some seconds. Thread-safe.
 */
final class GroupTexts {
  private static final int MAX_ENTRIES = 50_000;
  private static final long REPORTED_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Map<Key, Texts> texts =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Texts> eldest) {
          return size() > MAX_ENTRIES;
        }
      };

  private record Key(List<ViewColumn> columns, List<Long> group) {}

  private record Texts(List<String> words, long nanos) {}

  interface Reading {
    QueryResult read(List<long[]> groups) throws SQLException;
  }

  List<List<String>> of(List<ViewColumn> columns, List<long[]> groups, Reading reading)
      throws SQLException {
    List<Key> keys =
        groups.stream()
            .map(group -> new Key(columns, Arrays.stream(group).boxed().toList()))
            .toList();
    boolean isReported = columns.stream().anyMatch(ReportedColumn::isIn);
    long now = System.nanoTime();
    List<List<String>> known = new ArrayList<>();
    List<Integer> missing = new ArrayList<>();
    synchronized (texts) {
      for (int i = 0; i < keys.size(); i++) {
        Texts its = texts.get(keys.get(i));
        boolean holds = its != null && !(isReported && now - its.nanos > REPORTED_NANOS);
        known.add(holds ? its.words : null);
        if (known.get(i) == null) {
          missing.add(i);
        }
      }
    }
    if (!missing.isEmpty()) {
      QueryResult rows = reading.read(missing.stream().map(groups::get).toList());
      for (int place : missing) {
        rows.next();
        List<String> its = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
          its.add((String) rows.value(i));
        }
        known.set(place, Collections.unmodifiableList(its));
        if ((Boolean) rows.value(columns.size())) {
          synchronized (texts) {
            texts.put(keys.get(place), new Texts(known.get(place), now));
          }
        }
      }
      rows.next(); // reads to the end, since the connection has one open result
    }
    return known;
  }
}
