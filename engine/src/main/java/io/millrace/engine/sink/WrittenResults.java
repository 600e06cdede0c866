package io.millrace.engine.sink;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Results that a topic has and that may be reproduced: those of a time that the watermark has not
 * passed yet. Read from the positions topic ({@link TopicTransactions}):
 *
 * <pre>
 *   0      1
 *   +------+--------------------------------------------------------------+
 *   | 'R'  | time (8 bytes, µs since the epoch), identity (16); any number |
 *   +------+--------------------------------------------------------------+
 * </pre>
 *
 * Not thread-safe.
 */
final class WrittenResults {
  private static final byte RESULTS = 'R';
  private static final int RESULT_LENGTH = Long.BYTES + ResultId.LENGTH;

  private final Map<ResultId, Long> times = new HashMap<>();

  private final Set<ResultId> earlier = new HashSet<>();

  private ByteBuffer added = newRecord(64);

  private static ByteBuffer newRecord(int results) {
    return ByteBuffer.allocate(1 + results * RESULT_LENGTH).put(RESULTS);
  }

  void take(ByteBuffer record) {
    if (record.get() != RESULTS) {
      return;
    }
    while (record.hasRemaining()) {
      long time = record.getLong();
      ResultId id = new ResultId(record.getLong(), record.getLong());
      times.put(id, time);
      earlier.add(id);
    }
  }

  boolean add(ResultId id, long time) {
    if (times.putIfAbsent(id, time) != null) {
      return false;
    }
    if (added.remaining() < RESULT_LENGTH) {
      added = newRecord(added.capacity() * 2 / RESULT_LENGTH).put(added.flip().position(1));
    }
    added.putLong(time).putLong(id.high()).putLong(id.low());
    return true;
  }

  byte[] takeAdded() {
    byte[] record = new byte[added.flip().limit()];
    added.get(record).clear().put(RESULTS);
    return record;
  }

  /**
   * Drops results that the watermark has passed; returns whether none from before the restart
   * remain.
   */
  boolean forget(long passed) {
    times.values().removeIf(time -> time <= passed);
    earlier.retainAll(times.keySet());
    return earlier.isEmpty();
  }
}
