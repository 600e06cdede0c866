package io.millrace.store.duckdb.offsets;

import io.millrace.wire.block.Frontier;
import java.util.Map;
import java.util.TreeMap;

/**
 * Range of the log between two frontiers.
 *
 * @param from start of the range, inclusive; missing partitions start at 0
 * @param to end of the range, exclusive
 */
public record LogRange(Frontier from, Frontier to) {
  private Map<Integer, long[]> bounds() {
    Map<Integer, long[]> bounds = new TreeMap<>();
    to.next()
        .forEach(
            (partition, next) -> {
              if (from.next(partition) < next) {
                bounds.put(partition, new long[] {from.next(partition), next});
              }
            });
    return bounds;
  }

  public boolean isEmpty() {
    return bounds().isEmpty();
  }

  /** Maximum number of log records in the range. */
  public double values() {
    return bounds().values().stream().mapToDouble(bound -> (double) bound[1] - bound[0]).sum();
  }

  /** Intersection with the range between two other frontiers. */
  public LogRange within(Frontier first, Frontier last) {
    return new LogRange(from.union(first), least(to, last));
  }

  /** The frontier that covers what both frontiers cover. */
  public static Frontier least(Frontier a, Frontier b) {
    Map<Integer, Long> least = new TreeMap<>();
    a.next().forEach((partition, next) -> least.put(partition, Math.min(next, b.next(partition))));
    return new Frontier(least);
  }

  /**
   * SQL condition that selects the rows in the range. It begins with the bounds over all
   * partitions, which DuckDB compares with the minima and maxima of a row group to skip it.
   */
  public String sql() {
    return sql(1, 0);
  }

  /**
   * Like {@link #sql()}, for rows of known partitions. If the range includes offsets of each of
   * these partitions, an offset that it includes in all of them needs no test of the partition;
   * other offsets are compared with the bounds of their partition. The SQL uses CASE instead of OR,
   * for which DuckDB sorts the numbers of matching rows.
   *
   * @param lastPartition inclusive; less than the first one if the partitions are unknown
   */
  public String sql(long firstPartition, long lastPartition) {
    Map<Integer, long[]> bounds = bounds();
    if (bounds.isEmpty()) {
      return "false";
    }
    long least = Long.MAX_VALUE;
    long most = 0;
    long allFrom = 0;
    long allTo = Long.MAX_VALUE;
    StringBuilder each = new StringBuilder("CASE log_partition");
    for (Map.Entry<Integer, long[]> entry : bounds.entrySet()) {
      long first = entry.getValue()[0];
      long next = entry.getValue()[1];
      least = Math.min(least, first);
      most = Math.max(most, next);
      allFrom = Math.max(allFrom, first);
      allTo = Math.min(allTo, next);
      each.append(" WHEN ")
          .append(entry.getKey())
          .append(" THEN log_offset >= ")
          .append(first)
          .append(" AND log_offset < ")
          .append(next);
    }
    each.append(" ELSE false END");
    String coarse = "log_offset >= " + least + " AND log_offset < " + most + " AND ";
    boolean hasAll = firstPartition <= lastPartition;
    for (long partition = firstPartition; hasAll && partition <= lastPartition; partition++) {
      hasAll = bounds.containsKey((int) partition);
    }
    return hasAll && allFrom < allTo
        ? coarse
            + "CASE WHEN log_offset >= "
            + allFrom
            + " AND log_offset < "
            + allTo
            + " THEN true ELSE "
            + each
            + " END"
        : coarse + each;
  }
}
