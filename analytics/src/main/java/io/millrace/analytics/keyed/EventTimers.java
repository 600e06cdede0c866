package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockInput;

/**
 * Timers of keys by event time: {@link EventRows} whose columns are the key, 28 bytes a timer. A
 * part of an analyzer's state.
 *
 * <p>A timer that is set twice goes off twice; who cannot have that keeps a mark beside the key.
 * Timers of one moment go off in the order of their keys, so that a replay gives the same. Not
 * thread-safe.
 */
public final class EventTimers {
  /** Called for a timer that is due. */
  @FunctionalInterface
  public interface Handler {
    /** The moment has come for a key; timers may be set from here, also for now. */
    void due(long micros, int hash, long first, long second) throws Exception;
  }

  private final EventRows rows;

  /**
   * No timers.
   *
   * @param groups whose keys come to this subtask
   */
  public EventTimers(KeyGroups groups) {
    rows = new EventRows(groups, 2);
  }

  /** Number of timers that have not gone off. */
  public int size() {
    return rows.size();
  }

  /** When the next one goes off; {@link Long#MAX_VALUE} if there is none. */
  public long next() {
    return rows.next();
  }

  /**
   * Sets a timer for a key of one or two {@code long}s.
   *
   * @param moment microseconds since the epoch; one that has passed goes off at the next call
   */
  public void set(long moment, int hash, long first, long second) {
    rows.add(moment, hash, first, second);
  }

  /** Lets all timers up to a moment, inclusive, go off, in their order. */
  public void fire(long until, Handler handler) throws Exception {
    rows.fire(until, (moment, hash, key) -> handler.due(moment, hash, key[0], key[1]));
  }

  /** The timers as they are now: a copy of the arrays, as of a {@link KeyTable}. */
  public StateSnapshot snapshot() {
    return rows.snapshot();
  }

  /**
   * Adds the timers that an {@link #snapshot} wrote for a group.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are none
   */
  public void restore(BlockInput in) {
    rows.restore(in);
  }
}
