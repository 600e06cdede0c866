package io.millrace.engine.sink;

import io.millrace.wire.block.Frontier;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which blocks a topic has: the places in the log of all that was committed since some checkpoint,
 * from the records beside it ({@link TopicTransactions}).
 *
 * <pre>
 *   0      1
 *   +------+-----------------------------------------------------------+
 *   | 'B'  | partition (4 bytes), offset (8), index (4) of a block's    |
 *   |      | first row; any number                                     |
 *   | 'P'  | the same without index, of values with one block          |
 *   +------+-----------------------------------------------------------+
 * </pre>
 *
 * Used by one thread.
 */
final class TopicPositions {
  static final byte PLACES = 'B';
  private static final byte PLACES_WITHOUT_INDEX = 'P';
  static final int PLACE_LENGTH = Integer.BYTES + Long.BYTES + Integer.BYTES;

  /** Where in a partition a block begins. */
  private record Place(long offset, int index) {}

  private final Map<Integer, Set<Place>> written = new HashMap<>();

  /** Takes what stands in a record. */
  void take(ByteBuffer record) {
    boolean hasIndex = record.get() != PLACES_WITHOUT_INDEX;
    while (record.hasRemaining()) {
      Set<Place> places = written.computeIfAbsent(record.getInt(), p -> new HashSet<>());
      places.add(new Place(record.getLong(), hasIndex ? record.getInt() : 0));
    }
  }

  /** Whether the topic has the block of that place. */
  boolean contains(int logPartition, long offset, int index) {
    Set<Place> places = written.get(logPartition);
    return places != null && places.contains(new Place(offset, index));
  }

  /** Forgets what a replay will not bring any more. */
  void forget(Frontier covered) {
    written.forEach(
        (logPartition, places) ->
            places.removeIf(place -> covered.covers(logPartition, place.offset())));
    written.values().removeIf(Set::isEmpty);
  }
}
