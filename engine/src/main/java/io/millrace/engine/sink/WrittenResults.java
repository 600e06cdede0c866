package io.millrace.engine.sink;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which results a topic has, as far as they may be made again: those of a time that event time has
 * not passed yet. Read from the records beside the topic ({@link TopicTransactions}):
 *
 * <pre>
 *   0      1
 *   +------+--------------------------------------------------------------+
 *   | 'R'  | time (8 bytes, µs since the epoch), identity (16); any number |
 *   +------+--------------------------------------------------------------+
 * </pre>
 *
 * Used by one thread.
 */
final class WrittenResults {
  private static final byte RESULTS = 'R';
  private static final int RESULT_LENGTH = Long.BYTES + ResultId.LENGTH;

  private final Map<ResultId, Long> times = new HashMap<>();

  /** Results that the job wrote before it was restarted. */
  private final Set<ResultId> earlier = new HashSet<>();

  private ByteBuffer added = newRecord(64);

  private static ByteBuffer newRecord(int results) {
    return ByteBuffer.allocate(1 + results * RESULT_LENGTH).put(RESULTS);
  }

  /** Takes what stands in a record. */
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

  /**
   * Adds a result.
   *
   * @return whether it is to be written; if not, the topic has it
   */
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

  /** The record of the results that were added since it was taken. */
  byte[] takeAdded() {
    byte[] record = new byte[added.flip().limit()];
    added.get(record).clear().put(RESULTS);
    return record;
  }

  /**
   * Forgets the results of a time that event time has passed.
   *
   * @return whether none of earlier lives is left
   */
  boolean forget(long passed) {
    times.values().removeIf(time -> time <= passed);
    earlier.retainAll(times.keySet());
    return earlier.isEmpty();
  }
}
