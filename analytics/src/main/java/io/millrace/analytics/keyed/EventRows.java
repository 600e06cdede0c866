package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Arrays;

/**
 * Rows of {@code long}s that wait until event time has come to theirs, and then leave in its order:
 * a binary heap in arrays, 12 bytes and 8 for each column a row. A part of an analyzer's state.
 *
 * <p>Rows of one moment leave in the order of their columns, the first one first. So an analyzer
 * with two inputs puts the number of the input into the first column, and the order is the same in
 * whichever order the rows came. Rows that are equal leave as often as they came. Not thread-safe.
 */
public final class EventRows {
  /** Called for a row that is due. */
  @FunctionalInterface
  public interface Handler {
    /**
     * The moment of a row has come; further rows may be added from here, also for now.
     *
     * @param row its columns, until the call returns
     */
    void due(long micros, int hash, long[] row) throws Exception;
  }

  private static final int FIRST_CAPACITY = 16;

  /** In place of the number of rows: all of a group follow, and those before are forgotten. */
  private static final int INSTEAD = -1;

  /** In place of the number of rows: those before stay. */
  private static final int SAME = -2;

  private final KeyGroups groups;
  private final EntryMemory memory;

  /** Times, and behind them the columns. */
  private final long[][] columns;

  private int[] hashes = new int[FIRST_CAPACITY];
  private int size;

  /**
   * No rows.
   *
   * @param groups whose keys come to this subtask
   * @param width {@code long}s of a row, 0 to 254
   */
  public EventRows(KeyGroups groups, int width) {
    if (width < 0 || width > 254) {
      throw new IllegalArgumentException(width + " columns: 0 to 254");
    }
    this.groups = groups;
    columns = new long[width + 1][FIRST_CAPACITY];
    memory = new EntryMemory(groups, 0, width + 1);
  }

  /** Number of rows that wait. */
  public int size() {
    return size;
  }

  /** When the next one is due; {@link Long#MAX_VALUE} if there is none. */
  public long next() {
    return size == 0 ? Long.MAX_VALUE : columns[0][0];
  }

  /**
   * Adds a row.
   *
   * @param micros its time, since the epoch; one that has passed leaves at the next call
   * @param hash of its key
   * @param row copied; as wide as all others
   */
  public void add(long micros, int hash, long... row) {
    int at = next(hash);
    columns[0][at] = micros;
    for (int c = 1; c < columns.length; c++) {
      columns[c][at] = row[c - 1];
    }
    rise(at);
  }

  /** The place of one more row. */
  private int next(int hash) {
    if (size == hashes.length) {
      int capacity = size * 2;
      hashes = Arrays.copyOf(hashes, capacity);
      for (int c = 0; c < columns.length; c++) {
        columns[c] = Arrays.copyOf(columns[c], capacity);
      }
    }
    hashes[size] = hash;
    return size++;
  }

  /** Lets all rows up to a moment, inclusive, leave, in their order. */
  public void fire(long until, Handler handler) throws Exception {
    long[] row = new long[columns.length - 1];
    while (size > 0 && columns[0][0] <= until) {
      long micros = columns[0][0];
      int hash = hashes[0];
      for (int c = 1; c < columns.length; c++) {
        row[c - 1] = columns[c][0];
      }
      copy(--size, 0);
      sink(0);
      handler.due(micros, hash, row);
    }
  }

  private void copy(int from, int to) {
    hashes[to] = hashes[from];
    for (long[] column : columns) {
      column[to] = column[from];
    }
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
    for (long[] column : columns) {
      if (column[a] != column[b]) {
        return column[a] < column[b];
      }
    }
    return false;
  }

  private void swap(int a, int b) {
    int hash = hashes[a];
    hashes[a] = hashes[b];
    hashes[b] = hash;
    for (long[] column : columns) {
      long value = column[a];
      column[a] = column[b];
      column[b] = value;
    }
  }

  /** The rows as they are now: a copy of the arrays, as of a {@link KeyTable}. */
  public StateSnapshot snapshot() {
    EntryColumns copy = memory.take(size, hashes.length);
    copy.copy(0, size, hashes, null, columns);
    return new Snapshot(memory, copy);
  }

  /**
   * Adds the rows that an {@link #snapshot} wrote for a group.
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
    if (count < 0 || count > in.remaining() / (Integer.BYTES + columns.length * Long.BYTES)) {
      throw in.broken(Integer.toUnsignedString(count) + " rows");
    }
    for (int i = 0; i < count; i++) {
      long micros = in.takeLong();
      int at = next(in.takeInt());
      columns[0][at] = micros;
      for (int c = 1; c < columns.length; c++) {
        columns[c][at] = in.takeLong();
      }
      rise(at);
    }
  }

  /** Forgets the rows of a group and makes a heap of the others. */
  private void forget(int group) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (groups.groupOf(hashes[i]) != group) {
        copy(i, kept++);
      }
    }
    size = kept;
    for (int i = size / 2 - 1; i >= 0; i--) {
      sink(i);
    }
  }

  /** Rows at one moment, written one by one: time (8 bytes), hash (4), columns (8 each). */
  private static final class Snapshot extends EntrySnapshot {
    Snapshot(EntryMemory memory, EntryColumns columns) {
      super(memory, columns);
    }

    /** All rows of the group, in place of those before, unless they are the same. */
    @Override
    boolean writeChanges(int group, EntryColumns rows, EntryColumns before, BlockBuffer out) {
      boolean changed = !EntryChanges.of(group, before, rows).isNone();
      out.putInt(changed ? INSTEAD : SAME);
      if (changed) {
        out.putInt(group);
        write(group, rows, out);
      }
      return changed;
    }

    @Override
    void write(int group, EntryColumns rows, BlockBuffer out) {
      int start = rows.start(group);
      int count = rows.count(group);
      out.putInt(count);
      for (int i = start; i < start + count; i++) {
        out.putLong(rows.values(0)[i]);
        out.putInt(rows.hashes()[i]);
        for (int c = 1; c < rows.columns(); c++) {
          out.putLong(rows.values(c)[i]);
        }
      }
    }
  }
}
