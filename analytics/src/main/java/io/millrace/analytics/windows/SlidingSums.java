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
 * <p>A row is added to one pane, however many windows it is in. Beside the panes stand the sums of
 * the window that is open: when time has passed a pane it is added to them, and when the window
 * slides the panes that it leaves behind are taken away again. So a slide costs a look-up for each
 * key of the panes that come and go, and one for each key that is in the result; the ratio of size
 * and slide is in none of these. Sums wrap around as {@code long}s do, and taking away is exact.
 *
 * <pre>
 *              oldest                 closed
 *     panes    |  4  |  6  |  8  |  10  |  12  |  14  |
 *              |————— running sums —————|
 * </pre>
 *
 * <p>Late are only rows of which every window has been given out. Others are added to the windows
 * that are still open, as an engine does that keeps each window by itself.
 *
 * <p>Each row touches a line of the pane's index, one of its hashes, one of its keys and one for
 * each sum. Memory: keys of all panes of a window, each with 28 bytes and 8 for each sum, and once
 * more those of the running sums. Not thread-safe.
 */
public final class SlidingSums {
  /** Takes the sums of a window. */
  @FunctionalInterface
  public interface Handler {
    /**
     * A window is over.
     *
     * @param end of the window, exclusive
     * @param sums the keys that were in it, two {@code long}s each, with the sums in the columns
     *     from 0 on; not to be changed nor kept
     */
    void window(long end, KeyTable sums) throws Exception;
  }

  /** Moments that are further from the epoch are refused: 73,000 years. */
  private static final long FURTHEST = 1L << 61;

  private static final int KEY_LONGS = 2;

  private final KeyGroups groups;
  private final SlidingWindows windows;
  private final long paneLength;
  private final int columns;

  /** By their begin, none before {@link #oldest}. */
  private final TreeMap<Long, KeyTable> panes = new TreeMap<>();

  /**
   * Sums of the panes from {@link #oldest} to {@link #closed}, and in how many of them a key is.
   */
  private final KeyTable running;

  private long watermark = Long.MIN_VALUE;

  /** Begin of the first window that has not been given out. */
  private long oldest = Long.MIN_VALUE;

  /** Begin of the first pane that is still open. */
  private long closed = Long.MIN_VALUE;

  /** The pane of the last row: the next one is mostly of the same. */
  private KeyTable current;

  private long currentBegin;

  /** Whether panes were restored that the running sums do not know. */
  private boolean isRestored;

  /**
   * No sums.
   *
   * @param groups whose keys come to this subtask
   * @param columns numbers that are summed up for each key, at least 1
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
   * @param micros when it was
   * @param hash of its key
   * @param first half of the key
   * @param second half of the key; 0 where one is enough
   * @param amounts what is added to each sum; not kept
   * @return false if it is late, or of a moment beyond all calendars
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
   * Event time has passed {@code micros}: gives out the windows that are over, in their order;
   * those without rows are left out.
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
      // After a gap in time, on to the first window that has rows again.
      long begin = running.size() == 0 ? panes.firstKey() : closed;
      long end = windows.firstEndAfter(begin);
      if (end > until) {
        break;
      }
      close(end);
      handler.window(end, running);
      leaveBehind(end + windows.slide() - windows.size());
    }
    close(until);
    oldest = oldest(until);
  }

  /** End of the last pane that a watermark has passed. */
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

  /** Adds the panes before a moment to the running sums. */
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

  /** Takes the panes before a moment away, from the running sums too. */
  private void leaveBehind(long begin) {
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

  /** Makes the running sums of the panes that were restored. */
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

  /** The sums as they are now: a copy of the panes' arrays. */
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
   * Adds what an {@link #snapshot} wrote for a group. All groups of one checkpoint have the same
   * watermark: subtasks take a checkpoint at the same place of their input.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are none, or of a newer
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
