package io.millrace.wire.block;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far a log has been read: for each partition the offset of the first value that is
 * <em>not</em> covered. A partition that is not named is covered up to nothing. Immutable.
 *
 * @param next the first offset not covered, by partition
 */
public record Frontier(Map<Integer, Long> next) implements Serializable {
  /** Covers nothing. */
  public static final Frontier EMPTY = new Frontier(Map.of());

  /** Copies the map, in partition order. */
  public Frontier {
    next = java.util.Collections.unmodifiableMap(new TreeMap<>(next));
  }

  /** The first offset of the partition that is not covered; 0 where the partition is not named. */
  public long next(int partition) {
    return next.getOrDefault(partition, 0L);
  }

  /** Whether the value at (partition, offset) is covered. */
  public boolean covers(int partition, long offset) {
    return offset < next(partition);
  }

  /** The frontier that covers what this one or the other covers. */
  public Frontier union(Frontier other) {
    Map<Integer, Long> union = new TreeMap<>(next);
    other.next.forEach((partition, offset) -> union.merge(partition, offset, Math::max));
    return new Frontier(union);
  }
}
