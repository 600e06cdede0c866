package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Arrays;

/**
 * Timers of keys by event time: a binary heap in arrays, 28 bytes a timer. A part of an analyzer's
 * state.
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

  private static final int FIRST_CAPACITY = 16;
  private static final int COLUMNS = 3;

  /** In place of the number of timers: all of a group follow, and those before are forgotten. */
  private static final int INSTEAD = -1;

  /** In place of the number of timers: those before stay. */
  private static final int SAME = -2;

  private static final int TIMER_BYTES = 3 * Long.BYTES + Integer.BYTES;

  private final KeyGroups groups;
  private final EntryMemory memory;
  private long[] micros = new long[FIRST_CAPACITY];
  private int[] hashes = new int[FIRST_CAPACITY];
  private long[] firsts = new long[FIRST_CAPACITY];
  private long[] seconds = new long[FIRST_CAPACITY];
  private int size;

  /**
   * No timers.
   *
   * @param groups whose keys come to this subtask
   */
  public EventTimers(KeyGroups groups) {
    this.groups = groups;
    memory = new EntryMemory(groups, 0, COLUMNS);
  }

  /** Number of timers that have not gone off. */
  public int size() {
    return size;
  }

  /** When the next one goes off; {@link Long#MAX_VALUE} if there is none. */
  public long next() {
    return size == 0 ? Long.MAX_VALUE : micros[0];
  }

  /**
   * Sets a timer for a key of one or two {@code long}s.
   *
   * @param moment microseconds since the epoch; one that has passed goes off at the next call
   */
  public void set(long moment, int hash, long first, long second) {
    if (size == micros.length) {
      int capacity = size * 2;
      micros = Arrays.copyOf(micros, capacity);
      hashes = Arrays.copyOf(hashes, capacity);
      firsts = Arrays.copyOf(firsts, capacity);
      seconds = Arrays.copyOf(seconds, capacity);
    }
    put(size, moment, hash, first, second);
    rise(size++);
  }

  /** Lets all timers up to a moment, inclusive, go off, in their order. */
  public void fire(long until, Handler handler) throws Exception {
    while (size > 0 && micros[0] <= until) {
      long moment = micros[0];
      int hash = hashes[0];
      long first = firsts[0];
      long second = seconds[0];
      removeTop();
      handler.due(moment, hash, first, second);
    }
  }

  private void removeTop() {
    size--;
    if (size > 0) {
      put(0, micros[size], hashes[size], firsts[size], seconds[size]);
      sink(0);
    }
  }

  private void put(int at, long moment, int hash, long first, long second) {
    micros[at] = moment;
    hashes[at] = hash;
    firsts[at] = first;
    seconds[at] = second;
  }

  private void rise(int from) {
    for (int at = from; at > 0 && isBefore(at, (at - 1) / 2); at = (at - 1) / 2) {
      swap(at, (at - 1) / 2);
    }
  }

  private void sink(int from) {
    int at = from;
    while (true) {
      int least = at;
      for (int child = 2 * at + 1; child <= 2 * at + 2 && child < size; child++) {
        if (isBefore(child, least)) {
          least = child;
        }
      }
      if (least == at) {
        return;
      }
      swap(at, least);
      at = least;
    }
  }

  private boolean isBefore(int a, int b) {
    if (micros[a] != micros[b]) {
      return micros[a] < micros[b];
    }
    if (firsts[a] != firsts[b]) {
      return firsts[a] < firsts[b];
    }
    return seconds[a] < seconds[b];
  }

  private void swap(int a, int b) {
    long moment = micros[a];
    int hash = hashes[a];
    long first = firsts[a];
    long second = seconds[a];
    put(a, micros[b], hashes[b], firsts[b], seconds[b]);
    put(b, moment, hash, first, second);
  }

  /** The timers as they are now: a copy of the arrays, as of a {@link KeyTable}. */
  public StateSnapshot snapshot() {
    EntryColumns columns = memory.take(size, hashes.length);
    columns.copy(0, size, hashes, null, new long[][] {micros, firsts, seconds});
    return new Image(memory, columns);
  }

  /**
   * Adds the timers that an {@link #snapshot} wrote for a group.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are none
   */
  public void restore(BlockInput in) {
    int count = in.takeInt();
    if (count == SAME) {
      return;
    }
    if (count == INSTEAD) {
      forget(in.takeInt());
      count = in.takeInt();
    }
    if (count < 0 || count > in.remaining() / TIMER_BYTES) {
      throw in.broken(Integer.toUnsignedString(count) + " timers");
    }
    for (int i = 0; i < count; i++) {
      set(in.takeLong(), in.takeInt(), in.takeLong(), in.takeLong());
    }
  }

  /** Forgets the timers of a group and makes a heap of the others. */
  private void forget(int group) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (groups.groupOf(hashes[i]) != group) {
        put(kept++, micros[i], hashes[i], firsts[i], seconds[i]);
      }
    }
    size = kept;
    for (int i = size / 2 - 1; i >= 0; i--) {
      sink(i);
    }
  }

  /** Timers at one moment, written one by one. */
  private static final class Image extends EntrySnapshot {
    Image(EntryMemory memory, EntryColumns columns) {
      super(memory, columns);
    }

    /** All timers of the group, in place of those before, unless they are the same. */
    @Override
    boolean writeChanges(int group, EntryColumns timers, EntryColumns before, BlockBuffer out) {
      boolean changed = !EntryChanges.of(group, before, timers).isNone();
      out.putInt(changed ? INSTEAD : SAME);
      if (changed) {
        out.putInt(group);
        write(group, timers, out);
      }
      return changed;
    }

    @Override
    void write(int group, EntryColumns timers, BlockBuffer out) {
      int start = timers.start(group);
      int count = timers.count(group);
      int[] hashes = timers.hashes();
      long[] micros = timers.values(0);
      long[] firsts = timers.values(1);
      long[] seconds = timers.values(2);
      out.putInt(count);
      for (int i = start; i < start + count; i++) {
        out.putLong(micros[i]);
        out.putInt(hashes[i]);
        out.putLong(firsts[i]);
        out.putLong(seconds[i]);
      }
    }
  }
}
