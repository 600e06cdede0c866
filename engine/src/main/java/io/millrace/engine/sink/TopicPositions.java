package io.millrace.engine.sink;

import io.millrace.wire.block.Frontier;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Blocks that a topic has: their positions in the log since some checkpoint, read from the
 * positions topic ({@link TopicTransactions}), which may hold duplicates.
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
 * Not thread-safe.
 */
final class TopicPositions {
  static final byte PLACES = 'B';
  private static final byte PLACES_WITHOUT_INDEX = 'P';
  static final int PLACE_LENGTH = Integer.BYTES + Long.BYTES + Integer.BYTES;

  /** Positions per record, far below Kafka's maximum record size. */
  private static final int PLACES_A_RECORD = 1 << 14;

  private record Place(long offset, int index) {}

  private final Map<Integer, Set<Place>> written = new HashMap<>();

  void take(ByteBuffer record) {
    boolean hasIndex = record.get() != PLACES_WITHOUT_INDEX;
    while (record.hasRemaining()) {
      Set<Place> places = written.computeIfAbsent(record.getInt(), p -> new HashSet<>());
      places.add(new Place(record.getLong(), hasIndex ? record.getInt() : 0));
    }
  }

  boolean contains(int logPartition, long offset, int index) {
    Set<Place> places = written.get(logPartition);
    return places != null && places.contains(new Place(offset, index));
  }

  List<byte[]> records() {
    List<byte[]> records = new ArrayList<>();
    ByteBuffer record = ByteBuffer.allocate(1 + PLACES_A_RECORD * PLACE_LENGTH).put(PLACES);
    for (Map.Entry<Integer, Set<Place>> partition : written.entrySet()) {
      for (Place place : partition.getValue()) {
        if (!record.hasRemaining()) {
          records.add(taken(record));
        }
        record.putInt(partition.getKey()).putLong(place.offset()).putInt(place.index());
      }
    }
    if (record.position() > 1) {
      records.add(taken(record));
    }
    return records;
  }

  static byte[] taken(ByteBuffer record) {
    byte[] bytes = new byte[record.flip().limit()];
    record.get(bytes).clear().put(PLACES);
    return bytes;
  }

  void forget(Frontier covered) {
    written.forEach(
        (logPartition, places) ->
            places.removeIf(place -> covered.covers(logPartition, place.offset())));
    written.values().removeIf(Set::isEmpty);
  }
}
