package io.millrace.store.duckdb.snapshot;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LogPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Bounds of some rows: when they arrived and their positions in the log.
 *
 * @param rows their number; the other values mean nothing where it is 0
 * @param oldest arrival, microseconds since the epoch, or earlier
 * @param newest arrival, microseconds since the epoch, or later
 * @param firstPartition of the log, or less
 * @param lastPartition of the log, or more
 * @param firstOffset in any partition of the log, or less
 * @param lastOffset in any partition of the log, or more
 */
public record RowExtent(
    long rows,
    long oldest,
    long newest,
    int firstPartition,
    int lastPartition,
    long firstOffset,
    long lastOffset) {
  /** Of no rows. */
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

  /** Whether a row may have arrived between two times, the end exclusive. */
  public boolean mayHave(long from, long to) {
    return rows > 0 && newest >= from && oldest < to;
  }

  /** Whether a row may be one that a frontier does not cover. */
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

  /** Whether a row may be in a range of the log. */
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

  /** SQL that is true of those of these rows that are in a range of the log. */
  public String within(LogRange range) {
    long partitions = (long) lastPartition - firstPartition;
    boolean isWithin = partitions < LogPartition.MAX_PARTITIONS;
    for (int number = firstPartition; isWithin && number <= lastPartition; number++) {
      isWithin = range.from().next(number) <= firstOffset && lastOffset < range.to().next(number);
    }
    return isWithin ? "true" : range.sql(firstPartition, lastPartition);
  }

  /**
   * Conditions, each true of other rows, together of all that a frontier does not cover; without
   * those that no row here can fulfil. Each can be decided for a whole row group by its least and
   * greatest values.
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
