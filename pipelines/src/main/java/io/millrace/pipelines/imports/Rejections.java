package io.millrace.pipelines.imports;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Rejected records, counted by reason. Not thread-safe. */
public final class Rejections {
  private final Map<String, Long> counts = new TreeMap<>();
  private String first = "";

  /** Counts records that were rejected for a reason. */
  public void add(String reason, long count) {
    if (count > 0) {
      counts.merge(reason, count, Long::sum);
    }
  }

  /** Counts one record, and keeps the place of the first rejected record. */
  public void add(String reason, String place) {
    if (first.isEmpty()) {
      first = place;
    }
    add(reason, 1);
  }

  /** Number of records. */
  public long total() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** One line: counts by reason and the place of the first record; empty if there are none. */
  public String text() {
    return counts.entrySet().stream()
            .map(each -> each.getValue() + " × " + each.getKey())
            .collect(Collectors.joining(", "))
        + (first.isEmpty() ? "" : " (first: " + first + ")");
  }
}
