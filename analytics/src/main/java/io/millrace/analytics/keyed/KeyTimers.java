package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Event time timers for keys of any type; {@link EventTimers} are for keys of numbers. Part of an
 * analyzer's state. Each timer takes about 80 bytes and a copy of the key, so set one per window of
 * a key, not per row.
 *
 * <p>A timer that is set twice fires twice. Timers of equal time fire in the order of their keys'
 * bytes, so that a replay gives equal results. Not thread-safe.
 */
public final class KeyTimers {
  /** Handler of timers. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Fires a timer; timers may be set from here, also for now.
     *
     * @param key valid until the call returns
     */
    void due(long micros, KeyBytes key) throws Exception;
  }

  private static final int VERSION = 1;

  private static final int MORE = 0;

  private static final int INSTEAD = 1;

  private static final int SAME = 2;

  private final KeyGroups groups;
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();

  private static final class Timer implements Comparable<Timer> {
    final long micros;
    final int group;
    final byte[] key;

    Timer(long micros, int group, byte[] key) {
      this.micros = micros;
      this.group = group;
      this.key = key;
    }

    @Override
    public int compareTo(Timer other) {
      return micros != other.micros
          ? Long.compare(micros, other.micros)
          : Arrays.compareUnsigned(key, other.key);
    }
  }

  /**
   * No timers.
   *
   * @param groups key groups of this subtask
   */
  public KeyTimers(KeyGroups groups) {
    this.groups = groups;
  }

  /** Number of pending timers. */
  public int size() {
    return timers.size();
  }

  /**
   * Sets a timer.
   *
   * @param moment microseconds since the epoch; if past, it fires at the next {@link #fire}
   * @param key copied
   */
  public void set(long moment, KeyBytes key) {
    timers.add(new Timer(moment, groups.groupOf(key.hash()), key.toBytes()));
  }

  /** Fires all timers up to a time, inclusive, in order. */
  public void fire(long until, Handler handler) throws Exception {
    KeyBytes key = new KeyBytes();
    while (!timers.isEmpty() && timers.peek().micros <= until) {
      Timer due = timers.remove();
      key.set(due.key, 0, due.key.length);
      handler.due(due.micros, key);
    }
  }

  /** The current timers. */
  public StateSnapshot snapshot() {
    return new Snapshot(groups.max(), timers.toArray(Timer[]::new));
  }

  /**
   * Restores a group from a {@link #snapshot}.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are invalid, or of a newer
   *     release
   */
  public void restore(BlockInput in) {
    int version = in.takeByte();
    if (version != VERSION) {
      throw in.broken("timers of version " + version + ", expected version " + VERSION);
    }
    int kind = in.takeByte();
    int group = in.takeInt();
    if (kind == SAME) {
      return;
    }
    if (kind == INSTEAD) {
      timers.removeIf(timer -> timer.group == group);
    }
    int count = in.takeInt();
    for (int i = 0; i < count; i++) {
      long micros = in.takeLong();
      int length = in.takeInt();
      int at = in.take(length);
      timers.add(new Timer(micros, group, Arrays.copyOfRange(in.bytes(), at, at + length)));
    }
  }

  /**
   * Snapshot of timers. Per group: version, kind (a byte each), group, number of timers (4 bytes
   * each), and for each its time (8), the length of its key (4) and the key.
   */
  private static final class Snapshot implements StateSnapshot {
    private final int max;
    private final Timer[] timers;
    private List<List<Timer>> byGroup; // created by the writing thread

    Snapshot(int max, Timer[] timers) {
      this.max = max;
      this.timers = timers;
    }

    private List<Timer> of(int group) {
      if (byGroup == null) {
        byGroup = new ArrayList<>();
        for (int i = 0; i < max; i++) {
          byGroup.add(new ArrayList<>());
        }
        Arrays.sort(timers);
        for (Timer timer : timers) {
          byGroup.get(timer.group).add(timer);
        }
      }
      return byGroup.get(group);
    }

    @Override
    public boolean isEmpty(int group) {
      return of(group).isEmpty();
    }

    @Override
    public void write(int group, BlockBuffer out) {
      write(MORE, group, out);
    }

    private void write(int kind, int group, BlockBuffer out) {
      out.putByte(VERSION);
      out.putByte(kind);
      out.putInt(group);
      if (kind == SAME) {
        return;
      }
      out.putInt(of(group).size());
      for (Timer timer : of(group)) {
        out.putLong(timer.micros);
        out.putInt(timer.key.length);
        out.put(timer.key, 0, timer.key.length);
      }
    }

    @Override
    public boolean hasChangesSince(StateSnapshot before) {
      return before instanceof Snapshot;
    }

    /** Writes all timers of the group, as a replacement, unless they are unchanged. */
    @Override
    public boolean writeChanges(int group, StateSnapshot before, BlockBuffer out) {
      boolean same = isSame(of(group), ((Snapshot) before).of(group));
      write(same ? SAME : INSTEAD, group, out);
      return !same;
    }

    private static boolean isSame(List<Timer> some, List<Timer> others) {
      boolean same = some.size() == others.size();
      for (int i = 0; same && i < some.size(); i++) {
        same = some.get(i).compareTo(others.get(i)) == 0;
      }
      return same;
    }
  }
}
