package io.millrace.wire.block;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Read position of a log: for each partition, the first offset that is <em>not</em> covered.
 * Nothing is covered of an absent partition. Immutable.
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

  /** The first offset of the partition that is not covered; 0 if it is absent. */
  public long next(int partition) {
    return next.getOrDefault(partition, 0L);
  }

  /** Whether the value at (partition, offset) is covered. */
  public boolean covers(int partition, long offset) {
    return offset < next(partition);
  }

  /** The frontier that covers everything that this one or the other covers. */
  public Frontier union(Frontier other) {
    Map<Integer, Long> union = new TreeMap<>(next);
    other.next.forEach((partition, offset) -> union.merge(partition, offset, Math::max));
    return new Frontier(union);
  }

  /** This frontier restricted to some partitions. */
  public Frontier only(IntPredicate partitions) {
    Map<Integer, Long> chosen = new TreeMap<>(next);
    chosen.keySet().removeIf(partition -> !partitions.test(partition));
    return new Frontier(chosen);
  }

  /** This frontier of a topic's partitions, with the partition numbers of an epoch. */
  public Frontier inEpoch(int epoch) {
    Map<Integer, Long> numbers = new TreeMap<>();
    next.forEach((partition, offset) -> numbers.put(LogPartition.of(partition, epoch), offset));
    return new Frontier(numbers);
  }

  /** The part of this frontier in one epoch, with the topic's partitions. */
  public Frontier ofEpoch(int epoch) {
    Map<Integer, Long> partitions = new TreeMap<>();
    next.forEach(
        (number, offset) -> {
          if (LogPartition.epoch(number) == epoch) {
            partitions.put(LogPartition.partition(number), offset);
          }
        });
    return new Frontier(partitions);
  }

  /** Newest epoch of its partitions other than imported ones; 0 if there is none. */
  public int epoch() {
    return next.keySet().stream()
        .filter(number -> !LogPartition.isImported(number))
        .mapToInt(LogPartition::epoch)
        .max()
        .orElse(0);
  }
}
