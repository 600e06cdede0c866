package io.millrace.store.duckdb.snapshot;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LogPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Bounds of a set of rows, by arrival and by position in the log.
 *
 * @param rows number of rows; if 0, the bounds have no meaning
 * @param oldest lower bound of the arrival, microseconds since the epoch
 * @param newest upper bound of the arrival, microseconds since the epoch
 * @param firstPartition lower bound of the log partition
 * @param lastPartition upper bound of the log partition, inclusive
 * @param firstOffset lower bound of the offset in any partition
 * @param lastOffset upper bound of the offset in any partition, inclusive
 */
public record RowExtent(
    long rows,
    long oldest,
    long newest,
    int firstPartition,
    int lastPartition,
    long firstOffset,
    long lastOffset) {
  /** Bounds of no rows. */
  public static final RowExtent NONE =
      new RowExtent(
          0,
          Long.MAX_VALUE,
          Long.MIN_VALUE,
          Integer.MAX_VALUE,
          Integer.MIN_VALUE,
          Long.MAX_VALUE,
          Long.MIN_VALUE);

  /** Bounds of these rows and others. */
  public RowExtent and(RowExtent other) {
    return new RowExtent(
        rows + other.rows,
        Math.min(oldest, other.oldest),
        Math.max(newest, other.newest),
        Math.min(firstPartition, other.firstPartition),
        Math.max(lastPartition, other.lastPartition),
        Math.min(firstOffset, other.firstOffset),
        Math.max(lastOffset, other.lastOffset));
  }

  /** Whether rows may have arrived from a time until another, exclusive. */
  public boolean mayHave(long from, long to) {
    return rows > 0 && newest >= from && oldest < to;
  }

  /** Whether there may be rows that the frontier does not cover. */
  public boolean mayFollow(Frontier frontier) {
    if (rows == 0) {
      return false;
    }
    int known = 0;
    for (Map.Entry<Integer, Long> partition : frontier.next().entrySet()) {
      if (partition.getKey() >= firstPartition && partition.getKey() <= lastPartition) {
        known++;
        if (lastOffset >= partition.getValue()) {
          return true;
        }
      }
    }
    return known <= (long) lastPartition - firstPartition;
  }

  /** Whether rows may be in a range of the log. */
  public boolean mayHave(LogRange range) {
    return rows > 0
        && range.to().next().entrySet().stream()
            .anyMatch(
                partition ->
                    partition.getKey() >= firstPartition
                        && partition.getKey() <= lastPartition
                        && range.from().next(partition.getKey()) < partition.getValue()
                        && firstOffset < partition.getValue()
                        && lastOffset >= range.from().next(partition.getKey()));
  }

  /**
   * SQL condition that selects the rows in a range of the log. Valid for rows in these bounds only.
   */
  public String within(LogRange range) {
    long partitions = (long) lastPartition - firstPartition;
    boolean isWithin = partitions < LogPartition.MAX_PARTITIONS;
    for (int number = firstPartition; isWithin && number <= lastPartition; number++) {
      isWithin = range.from().next(number) <= firstOffset && lastOffset < range.to().next(number);
    }
    return isWithin ? "true" : range.sql(firstPartition, lastPartition);
  }

  /**
   * SQL conditions that together select the rows that a frontier does not cover. They are disjoint;
   * conditions that no row in these bounds can meet are omitted. DuckDB can skip a row group for
   * each condition by the minima and maxima of the group.
   */
  public List<String> unrolled(Frontier rolled) {
    if (rows == 0) {
      return List.of();
    }
    TreeMap<Integer, Long> next = new TreeMap<>(rolled.next());
    if (next.isEmpty()) {
      return List.of("true");
    }
    long least = next.values().stream().mapToLong(Long::longValue).min().orElseThrow();
    StringBuilder later = new StringBuilder("log_offset >= " + least + " AND CASE log_partition");
    List<String> conditions = new ArrayList<>();
    if (firstPartition < next.firstKey()) {
      conditions.add("log_partition < " + next.firstKey());
    }
    int expected = next.firstKey();
    for (Map.Entry<Integer, Long> partition : next.entrySet()) {
      int number = partition.getKey();
      later.append(" WHEN ").append(number);
      later.append(" THEN log_offset >= ").append(partition.getValue());
      if (number > expected && firstPartition < number && lastPartition >= expected) {
        conditions.add("log_partition >= " + expected + " AND log_partition < " + number);
      }
      expected = number + 1;
    }
    if (lastOffset >= least) {
      conditions.add(later + " ELSE false END");
    }
    if (lastPartition >= expected) {
      conditions.add("log_partition >= " + expected);
    }
    return conditions;
  }
}
