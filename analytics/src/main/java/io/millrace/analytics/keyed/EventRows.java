package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.List;
import java.util.TreeMap;

/**
 * Rows of {@code long}s that wait until the watermark reaches theirs, and are then processed in its
 * order. Part of an analyzer's state.
 *
 * <pre>
 *   buckets of 8 ms of event time: rows as they came
 *   +-------------+-------+-------------+--
 *   | 4 1 4 3 1 2 | 9 7 8 | 14 11 13 11 | …
 *   +-------------+-------+-------------+--
 *         ↓ sorted when it is due
 *    1 1 2 3 4 4
 * </pre>
 *
 * A row is appended to its bucket, and sorted once, among few, when it is due: by counting the
 * microseconds of the bucket, and by columns for equal times. Time, columns and hash of a row are
 * contiguous, since rows are moved and read as a whole: 16 bytes and 8 for each column, in arrays
 * that double.
 *
 * <p>Rows of equal time are processed in the order of their columns. So an analyzer with two inputs
 * puts the number of the input into the first column, and the order does not depend on arrival.
 * Duplicates are kept. Not thread-safe.
 */
public final class EventRows {
  /** Handler of due rows. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Processes a due row; further rows may be added from here, also for now.
     *
     * @param row its columns, until the call returns
     */
    void due(long micros, int hash, long[] row) throws Exception;
  }

  private static final int NEAR = 256;

  /** In place of the number of rows: all rows of the group follow, and replace the earlier ones. */
  private static final int INSTEAD = -1;

  /** In place of the number of rows: the earlier rows are unchanged. */
  private static final int SAME = -2;

  private final KeyGroups groups;
  private final EntryMemory memory;

  private final int stride;

  /** Non-empty buckets by number, which is the time without its lowest bits. */
  private final TreeMap<Long, EventBucket> buckets = new TreeMap<>();

  private final EventBucket[] near = new EventBucket[NEAR];

  private int size;

  private EventBucket due;

  private final EventOrder order = new EventOrder();
  private long firingUntil = Long.MIN_VALUE;
  private boolean isDisturbed;

  private long[] spare = new long[0];

  /**
   * No rows.
   *
   * @param groups key groups of this subtask
   * @param width {@code long}s per row, 0 to 254
   */
  public EventRows(KeyGroups groups, int width) {
    if (width < 0 || width > 254) {
      throw new IllegalArgumentException(width + " columns: 0 to 254");
    }
    this.groups = groups;
    stride = width + 2;
    due = new EventBucket(0, stride, spare);
    memory = new EntryMemory(groups, 0, width + 1);
  }

  /** Number of waiting rows. */
  public int size() {
    return size;
  }

  /**
   * Time of the next row; {@link Long#MAX_VALUE} if there is none. Scans the rows of some
   * milliseconds.
   */
  public long next() {
    return size == 0 ? Long.MAX_VALUE : buckets.firstEntry().getValue().min();
  }

  /**
   * Adds a row.
   *
   * @param micros its time, since the epoch; if past, it is due at the next {@link #fire}
   * @param hash of its key
   * @param row columns, copied; of the width of all rows
   */
  public void add(long micros, int hash, long... row) {
    bucket(micros >> EventBucket.BITS).add(micros, hash, row);
    size++;
    isDisturbed |= micros <= firingUntil;
  }

  private EventBucket bucket(long number) {
    EventBucket bucket = near[(int) number & (NEAR - 1)];
    return bucket != null && bucket.number() == number ? bucket : bucketOfTree(number);
  }

  private EventBucket bucketOfTree(long number) {
    EventBucket bucket = buckets.get(number);
    if (bucket == null) {
      bucket = new EventBucket(number, stride, spare);
      spare = new long[0];
      buckets.put(number, bucket);
    }
    near[(int) number & (NEAR - 1)] = bucket;
    return bucket;
  }

  private void remove(EventBucket bucket) {
    buckets.remove(bucket.number());
    int place = (int) bucket.number() & (NEAR - 1);
    near[place] = near[place] == bucket ? null : near[place];
    spare = bucket.rows();
  }

  /** Processes all rows up to a time, inclusive, in order. */
  public void fire(long until, Handler handler) throws Exception {
    fire(until, null, 0, handler);
  }

  /**
   * Processes rows with a handler that looks up each row's key in a table, whose memory is
   * prefetched.
   *
   * @param table with keys of one {@code long}; null for none
   * @param column of the row with the key
   */
  public void fire(long until, KeyTable table, int column, Handler handler) throws Exception {
    long[] row = new long[stride - 2];
    while (size > 0) {
      EventBucket first = buckets.firstEntry().getValue();
      if (first.min() > until) {
        return;
      }
      first.moveTo(due, until);
      if (first.size() == 0) {
        remove(first);
      }
      fireDue(row, table, column, handler);
    }
  }

  private void fireDue(long[] row, KeyTable table, int column, Handler handler) throws Exception {
    int count = due.size();
    int[] sorted = order.of(due);
    long[] rows = due.rows();
    firingUntil = rows[sorted[count - 1] * stride];
    int left = 0;
    while (left < count && !isDisturbed) {
      if (table != null && left % KeyTable.MAX_TOUCHED == 0) {
        int until = Math.min(left + KeyTable.MAX_TOUCHED, count);
        table.touch(rows, stride, column + 1, sorted, left, until);
      }
      int at = sorted[left++] * stride;
      System.arraycopy(rows, at + 1, row, 0, row.length);
      size--;
      handler.due(rows[at], (int) rows[at + stride - 1], row);
    }
    firingUntil = Long.MIN_VALUE;
    isDisturbed = false;
    for (; left < count; left++) {
      bucketOfTree(due.number()).add(rows, sorted[left]);
    }
    due.clear();
  }

  /** Snapshot of the rows: a copy, as for a {@link KeyTable}. */
  public StateSnapshot snapshot() {
    EntryColumns copy = memory.take(size, Math.max(16, size * 2));
    copy.prepare(size);
    int place = 0;
    for (EventBucket bucket : buckets.values()) {
      bucket.copyTo(copy, place);
      place += bucket.size();
    }
    copy.arrangeLater();
    return new Snapshot(memory, copy);
  }

  /**
   * Adds the rows of a group from a {@link #snapshot}.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are invalid
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
    if (count < 0 || count > in.remaining() / (Integer.BYTES + (stride - 1) * Long.BYTES)) {
      throw in.broken(Integer.toUnsignedString(count) + " rows");
    }
    long[] row = new long[stride - 2];
    for (int i = 0; i < count; i++) {
      long micros = in.takeLong();
      int hash = in.takeInt();
      for (int c = 0; c < row.length; c++) {
        row[c] = in.takeLong();
      }
      add(micros, hash, row);
    }
  }

  private void forget(int group) {
    size = 0;
    for (EventBucket bucket : List.copyOf(buckets.values())) {
      bucket.removeIf(hash -> groups.groupOf(hash) == group);
      size += bucket.size();
      if (bucket.size() == 0) {
        remove(bucket);
      }
    }
  }

  /** Snapshot of rows, written one by one: time (8 bytes), hash (4), columns (8 each). */
  private static final class Snapshot extends EntrySnapshot {
    Snapshot(EntryMemory memory, EntryColumns columns) {
      super(memory, columns);
    }

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
