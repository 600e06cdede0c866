package io.millrace.store.duckdb.offsets;

import io.millrace.wire.block.Frontier;
import java.util.Map;
import java.util.TreeMap;

/**
 * What lies in the log between two frontiers.
 *
 * @param from covers nothing of the range
 * @param to covers all of it
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

  /** Values of the log that it can hold at most. */
  public double values() {
    return bounds().values().stream().mapToDouble(bound -> (double) bound[1] - bound[0]).sum();
  }

  /** What of it lies between two other frontiers. */
  public LogRange within(Frontier first, Frontier last) {
    return new LogRange(from.union(first), least(to, last));
  }

  /** The frontier that covers what both do. */
  public static Frontier least(Frontier a, Frontier b) {
    Map<Integer, Long> least = new TreeMap<>();
    a.next().forEach((partition, next) -> least.put(partition, Math.min(next, b.next(partition))));
    return new Frontier(least);
  }

  /**
   * SQL that is true of the rows in the range. The bounds over all partitions precede those of
   * each: DuckDB compares them with the least and largest values of a row group, and skips it.
   */
  public String sql() {
    return sql(1, 0);
  }

  /**
   * The same for rows of which nothing but partitions between two numbers is known: where the range
   * has something of each of them, rows in its middle are identified by their offset alone, and the
   * bounds of each partition are looked at for those near its ends. (By CASE, not by OR, of which
   * DuckDB sorts the numbers of the rows that it is true of.)
   *
   * @param lastPartition inclusive; less than the first if nothing is known
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
