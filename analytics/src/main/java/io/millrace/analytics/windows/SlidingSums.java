package io.millrace.analytics.windows;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sums by key over sliding windows: the state of an analyzer.
 *
 * <p>A row is added to one pane, however many windows it is in. In addition there are the running
 * sums of the current window: when the watermark has passed a pane, it is added to them, and when
 * the window slides its oldest panes are subtracted. So a slide costs a lookup for each key of the
 * panes that come and go, and one for each key of the result, independent of the ratio of size and
 * slide. Sums wrap around as {@code long}s do, and subtraction is exact.
 *
 * <pre>
 *              oldest                 closed
 *     panes    |  4  |  6  |  8  |  10  |  12  |  14  |
 *              |————— running sums —————|
 * </pre>
 *
 * <p>A row is late if all of its windows have been emitted. Otherwise it is added to the open ones,
 * as in an engine with separate windows.
 *
 * <p>Each row touches a line of the pane's index, one of its hashes, one of its keys and one for
 * each sum. Memory: keys of all panes of a window, each with 28 bytes and 8 for each sum, and once
 * more those of the running sums. Not thread-safe.
 */
public final class SlidingSums {
  /** Receiver of a window's sums. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Processes a window.
     *
     * @param end of the window, exclusive
     * @param sums keys of the window, two {@code long}s each, with the sums in the columns from 0;
     *     must not be changed or kept
     */
    void window(long end, KeyTable sums) throws Exception;
  }

  /** Maximum distance of a time from the epoch, 73,000 years. */
  private static final long FURTHEST = 1L << 61;

  private static final int KEY_LONGS = 2;

  private final KeyGroups groups;
  private final SlidingWindows windows;
  private final long paneLength;
  private final int columns;

  /** Panes by start, none before {@link #oldest}. */
  private final TreeMap<Long, KeyTable> panes = new TreeMap<>();

  /** Sums of the closed panes from {@link #oldest}, and the number of panes with a key. */
  private final KeyTable running;

  private long watermark = Long.MIN_VALUE;

  /** Start of the first window that has not been emitted. */
  private long oldest = Long.MIN_VALUE;

  /** Start of the first open pane. */
  private long closed = Long.MIN_VALUE;

  private KeyTable current;

  private long currentBegin;

  private boolean isRestored;

  /**
   * No sums.
   *
   * @param groups key groups of this subtask
   * @param columns number of sums per key, at least 1
   */
  public SlidingSums(KeyGroups groups, SlidingWindows windows, int columns) {
    this.groups = groups;
    this.windows = windows;
    this.columns = columns;
    paneLength = windows.pane();
    running = new KeyTable(groups, KEY_LONGS, columns + 1);
  }

  /**
   * Adds a row.
   *
   * @param micros its time
   * @param hash of its key
   * @param first half of the key
   * @param second half of the key; 0 if unused
   * @param amounts to add to each sum; not kept
   * @return false if it is late, or its time out of range
   */
  public boolean add(long micros, int hash, long first, long second, long[] amounts) {
    if (current == null || micros < currentBegin || micros - currentBegin >= paneLength) {
      if (!enterPane(micros)) {
        return false;
      }
    }
    int before = current.size();
    int entry = current.entry(hash, first, second);
    add(current, entry, amounts);
    if (currentBegin < closed) {
      int open = running.entry(hash, first, second);
      add(running, open, amounts);
      running.values(columns)[open] += entry == before ? 1 : 0;
    }
    return true;
  }

  private void add(KeyTable table, int entry, long[] amounts) {
    for (int column = 0; column < columns; column++) {
      table.values(column)[entry] += amounts[column];
    }
  }

  private boolean enterPane(long micros) {
    settle();
    if (isBeyond(micros)) {
      return false;
    }
    long begin = Math.floorDiv(micros, paneLength) * paneLength;
    if (begin < oldest) {
      return false;
    }
    current = panes.computeIfAbsent(begin, b -> new KeyTable(groups, KEY_LONGS, columns));
    currentBegin = begin;
    return true;
  }

  /**
   * Emits the windows that ended up to {@code micros}, in order; windows without rows are omitted.
   */
  public void advance(long micros, Handler handler) throws Exception {
    settle();
    if (micros <= watermark) {
      return;
    }
    watermark = micros;
    current = null;
    long until = until(micros);
    while (!panes.isEmpty()) {
      // After a gap in time, continue with the first window that has rows.
      long begin = running.size() == 0 ? panes.firstKey() : closed;
      long end = windows.firstEndAfter(begin);
      if (end > until) {
        break;
      }
      close(end);
      handler.window(end, running);
      removeUntil(end + windows.slide() - windows.size());
    }
    close(until);
    oldest = oldest(until);
  }

  private long until(long micros) {
    return isBeyond(micros)
        ? (micros > 0 ? Long.MAX_VALUE : Long.MIN_VALUE)
        : windows.paneOf(micros + 1);
  }

  private long oldest(long until) {
    return isBeyond(until) ? until : windows.firstEndAfter(until) - windows.size();
  }

  private static boolean isBeyond(long micros) {
    return micros > FURTHEST || micros < -FURTHEST;
  }

  private void close(long until) {
    for (KeyTable pane : panes.subMap(closed, Math.max(closed, until)).values()) {
      for (int entry = 0; entry < pane.size(); entry++) {
        int open = running.entry(pane.hash(entry), pane.key(entry, 0), pane.key(entry, 1));
        for (int column = 0; column < columns; column++) {
          running.values(column)[open] += pane.values(column)[entry];
        }
        running.values(columns)[open]++;
      }
    }
    closed = Math.max(closed, until);
  }

  private void removeUntil(long begin) {
    Iterator<KeyTable> left = panes.headMap(begin).values().iterator();
    while (left.hasNext()) {
      KeyTable pane = left.next();
      for (int entry = 0; entry < pane.size(); entry++) {
        int open = running.find(pane.hash(entry), pane.key(entry, 0), pane.key(entry, 1));
        if (--running.values(columns)[open] == 0) {
          running.remove(open);
          continue;
        }
        for (int column = 0; column < columns; column++) {
          running.values(column)[open] -= pane.values(column)[entry];
        }
      }
      left.remove();
    }
  }

  private void settle() {
    if (isRestored) {
      isRestored = false;
      current = null;
      running.clear();
      closed = Long.MIN_VALUE;
      long until = until(watermark);
      oldest = oldest(until);
      close(until);
    }
  }

  /** Snapshot of the sums: a copy of the panes' arrays. */
  public StateSnapshot snapshot() {
    long[] begins = new long[panes.size()];
    StateSnapshot[] snapshots = new StateSnapshot[begins.length];
    int i = 0;
    for (Map.Entry<Long, KeyTable> pane : panes.entrySet()) {
      begins[i] = pane.getKey();
      snapshots[i++] = pane.getValue().snapshot();
    }
    return new SlidingSumsSnapshot(watermark, begins, snapshots);
  }

  /**
   * Adds a group from a {@link #snapshot}. All groups of one checkpoint have the same watermark:
   * subtasks take a checkpoint at the same position of their input.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are invalid, or of a newer
   *     release
   */
  public void restore(BlockInput in) {
    SlidingSumsSnapshot.checkVersion(in);
    watermark = Math.max(watermark, in.takeLong());
    int count = in.takeInt();
    for (int i = 0; i < count; i++) {
      panes
          .computeIfAbsent(in.takeLong(), b -> new KeyTable(groups, KEY_LONGS, columns))
          .restore(in);
    }
    isRestored = true;
  }
}
