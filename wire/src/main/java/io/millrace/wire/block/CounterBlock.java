package io.millrace.wire.block;

import java.util.Arrays;

/**
 * Interface counters as columns: the decoded counter samples of one value of the log. Used like
 * {@link FlowBlock}: {@link #reserve}, write at {@link #rows()}, then {@link #rows(int)}. Not
 * thread-safe.
 */
public final class CounterBlock implements Block {
  private static final int COLUMNS = CounterColumn.ALL.size();

  private final long[][] longs = new long[COLUMNS][];
  private final int[][] ints = new int[COLUMNS][];
  private final long[][] addressHigh = new long[COLUMNS][];
  private int rows;
  private int capacity;

  /** An empty block with a capacity of {@code capacity} rows. */
  public CounterBlock(int capacity) {
    this.capacity = capacity;
    for (CounterColumn column : CounterColumn.ALL) {
      int i = column.ordinal();
      if (column.type().isInt()) {
        ints[i] = new int[capacity];
      } else {
        longs[i] = new long[capacity];
      }
      if (column.type() == FlowColumn.Type.ADDRESS) {
        addressHigh[i] = new long[capacity];
      }
    }
  }

  @Override
  public int rows() {
    return rows;
  }

  /** Sets the number of filled rows of every column. */
  public void rows(int rows) {
    this.rows = rows;
  }

  /**
   * Ensures capacity for {@code more} rows after {@link #rows()}; arrays obtained before may be
   * stale.
   */
  public void reserve(int more) {
    int needed = rows + more;
    if (needed <= capacity) {
      return;
    }
    capacity = Math.max(needed, capacity * 2);
    for (int i = 0; i < COLUMNS; i++) {
      ints[i] = ints[i] == null ? null : Arrays.copyOf(ints[i], capacity);
      longs[i] = longs[i] == null ? null : Arrays.copyOf(longs[i], capacity);
      addressHigh[i] = addressHigh[i] == null ? null : Arrays.copyOf(addressHigh[i], capacity);
    }
  }

  /** The values of a {@code TIME} or {@code U64} column; null for columns of other types. */
  public long[] longs(CounterColumn column) {
    return column.type().isLong() ? longs[column.ordinal()] : null;
  }

  /** The values of a {@code U32} column; null for columns of other types. */
  public int[] ints(CounterColumn column) {
    return ints[column.ordinal()];
  }

  /** The upper 64 bits of an {@code ADDRESS} column; null for columns of other types. */
  public long[] addressHigh(CounterColumn column) {
    return addressHigh[column.ordinal()];
  }

  /** The lower 64 bits of an {@code ADDRESS} column; null for columns of other types. */
  public long[] addressLow(CounterColumn column) {
    return column.type() == FlowColumn.Type.ADDRESS ? longs[column.ordinal()] : null;
  }
}
