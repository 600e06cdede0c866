package io.millrace.store.duckdb.offsets;

import io.millrace.wire.block.Frontier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * SQL conditions on a row's position in the log, from a frontier.
 *
 * <p>What a rewind deletes came last, so it lies in the last row groups, of which the database
 * knows least and greatest value of each column. It can skip all others where the condition
 * compares a column with a number, and only there; so the exact condition, which is not of that
 * kind, comes after a coarse one that is, and partitions that the frontier does not name are asked
 * for by ranges.
 */
public final class UncoveredRows {
  private UncoveredRows() {}

  /** Conditions of which each row that the frontier does not cover fulfils exactly one. */
  public static List<String> conditions(Frontier frontier) {
    SortedMap<Integer, Long> next = new TreeMap<>(frontier.next());
    if (next.isEmpty()) {
      return List.of("true");
    }
    List<String> conditions = new ArrayList<>();
    conditions.add(
        "log_offset >= %d AND (%s)".formatted(Collections.min(next.values()), later(next)));
    conditions.add("log_partition < " + next.firstKey());
    int before = next.firstKey();
    for (int partition : next.keySet()) {
      if (partition > before + 1) {
        conditions.add("log_partition > %d AND log_partition < %d".formatted(before, partition));
      }
      before = partition;
    }
    conditions.add("log_partition > " + before);
    return conditions;
  }

  private static String later(Map<Integer, Long> next) {
    StringBuilder later = new StringBuilder("CASE log_partition");
    next.forEach(
        (partition, offset) ->
            later.append(" WHEN %d THEN log_offset >= %d".formatted(partition, offset)));
    return later.append(" ELSE false END").toString();
  }

  /**
   * A condition that is true of what a frontier covers.
   *
   * @param offset SQL for the offset
   */
  public static String covers(Frontier frontier, String offset) {
    if (frontier.next().isEmpty()) {
      return "false";
    }
    StringBuilder covered = new StringBuilder("CASE log_partition");
    frontier
        .next()
        .forEach(
            (partition, next) ->
                covered.append(" WHEN %d THEN %s < %d".formatted(partition, offset, next)));
    return covered.append(" ELSE false END").toString();
  }
}
