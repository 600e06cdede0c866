package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockInput;

/**
 * Event time timers of keys: {@link EventRows} whose columns are the key, 28 bytes per timer. Part
 * of an analyzer's state.
 *
 * <p>A timer that is set twice fires twice; callers that must avoid that keep a flag with the key.
 * Timers of equal time fire in the order of their keys, so that a replay gives equal results. Not
 * thread-safe.
 */
public final class EventTimers {
  /** Handler of timers. */
  @FunctionalInterface
  public interface Handler {
    /** Fires a timer; timers may be set from here, also for now. */
    void due(long micros, int hash, long first, long second) throws Exception;
  }

  private final EventRows rows;

  /**
   * No timers.
   *
   * @param groups key groups of this subtask
   */
  public EventTimers(KeyGroups groups) {
    rows = new EventRows(groups, 2);
  }

  /** Number of pending timers. */
  public int size() {
    return rows.size();
  }

  /** Time of the next timer; {@link Long#MAX_VALUE} if there is none. */
  public long next() {
    return rows.next();
  }

  /**
   * Sets a timer for a key of one or two {@code long}s.
   *
   * @param moment microseconds since the epoch; if past, it fires at the next {@link #fire}
   */
  public void set(long moment, int hash, long first, long second) {
    rows.add(moment, hash, first, second);
  }

  /** Fires all timers up to a time, inclusive, in order. */
  public void fire(long until, Handler handler) throws Exception {
    rows.fire(until, (moment, hash, key) -> handler.due(moment, hash, key[0], key[1]));
  }

  /** Snapshot of the timers: a copy of the arrays, as for a {@link KeyTable}. */
  public StateSnapshot snapshot() {
    return rows.snapshot();
  }

  /**
   * Adds the timers of a group from a {@link #snapshot}.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are invalid
   */
  public void restore(BlockInput in) {
    rows.restore(in);
  }
}
