package io.millrace.wire.block;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Flows as columns: decoded from one value of the log, extended by joins, appended to the store.
 *
 * <p>All rows of a block come from the log value at ({@link #logPartition()}, {@link
 * #logOffset()}); a row's identity is that position and its {@link #logIndex()}, which is the same
 * each time the log is read. Hot code copies the arrays to locals, calls {@link #reserve} before a
 * loop, writes at {@link #rows()} and calls {@link #rows(int)} afterwards; arrays are as long as
 * the capacity, and entries after the rows are undefined.
 *
 * <p>{@linkplain FlowColumn#optional() Optional} columns are created on first access, and {@link
 * #NULL} where nothing was written, so code that does not know a column leaves it null. Not
 * thread-safe.
 */
public final class FlowBlock implements Selectable<FlowBlock> {
  /** No value, in columns of {@code int} and of {@code long}. */
  public static final int NULL = -1;

  /**
   * Number of rows after which a decoder should begin another block of the log value: memory and
   * latency increase with a block's size, and a few thousand rows amortise the cost per block.
   */
  public static final int MANY_ROWS = 1 << 14;

  private static final int COLUMNS = FlowColumn.ALL.size();
  private static final int FIRST_OPTIONAL = FlowColumn.EXPORTER_SRC_AS.ordinal();

  private final long[][] longs = new long[COLUMNS][];
  private final int[][] ints = new int[COLUMNS][];
  private final long[][] addressHigh = new long[COLUMNS][];
  private final long[][] addressLow = new long[COLUMNS][];
  private int[] logIndex;
  private final List<JoinedColumn> joined = new ArrayList<>();
  private final NewNames names = new NewNames();
  private ExporterCounters counters = new ExporterCounters();
  private int rows;
  private int capacity;
  private int logPartition;
  private long logOffset;

  /** An empty block with a capacity of {@code capacity} rows. */
  public FlowBlock(int capacity) {
    this.capacity = capacity;
    for (FlowColumn column : FlowColumn.ALL) {
      if (!column.optional()) {
        make(column);
      }
    }
    logIndex = new int[capacity];
  }

  private void make(FlowColumn column) {
    int i = column.ordinal();
    if (column.type().isInt()) {
      ints[i] = new int[capacity];
    } else if (column.type().isLong()) {
      longs[i] = new long[capacity];
    } else {
      addressHigh[i] = new long[capacity];
      addressLow[i] = new long[capacity];
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

  /** Capacity in rows. */
  public int capacity() {
    return capacity;
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
    int before = capacity;
    capacity = Math.max(needed, capacity * 2);
    for (int i = 0; i < COLUMNS; i++) {
      longs[i] = grown(longs[i]);
      ints[i] = grown(ints[i]);
      addressHigh[i] = grown(addressHigh[i]);
      addressLow[i] = grown(addressLow[i]);
    }
    logIndex = grown(logIndex);
    nullOptional(before, capacity);
  }

  private long[] grown(long[] array) {
    return array == null ? null : Arrays.copyOf(array, capacity);
  }

  private int[] grown(int[] array) {
    return array == null ? null : Arrays.copyOf(array, capacity);
  }

  /** Whether the block has the column; a missing column is null in every row. */
  public boolean has(FlowColumn column) {
    int i = column.ordinal();
    return ints[i] != null || longs[i] != null || addressHigh[i] != null;
  }

  /** The values of a column of a {@code long}; null for columns of other types. */
  public long[] longs(FlowColumn column) {
    long[] values = longs[column.ordinal()];
    return values == null && column.type().isLong() ? held(column, longs) : values;
  }

  /** The values of a {@code U8}, {@code U16} or {@code U32} column; null for other types. */
  public int[] ints(FlowColumn column) {
    int[] values = ints[column.ordinal()];
    return values == null && column.type().isInt() ? held(column, ints) : values;
  }

  /** The upper 64 bits of an {@code ADDRESS} column; null for columns of other types. */
  public long[] addressHigh(FlowColumn column) {
    long[] values = addressHigh[column.ordinal()];
    return values == null && isAddress(column) ? held(column, addressHigh) : values;
  }

  /** The lower 64 bits of an {@code ADDRESS} column; null for columns of other types. */
  public long[] addressLow(FlowColumn column) {
    long[] values = addressLow[column.ordinal()];
    return values == null && isAddress(column) ? held(column, addressLow) : values;
  }

  private static boolean isAddress(FlowColumn column) {
    return column.type() == FlowColumn.Type.ADDRESS;
  }

  private <A> A held(FlowColumn column, A[] arrays) {
    make(column);
    fillNull(column, 0, capacity);
    return arrays[column.ordinal()];
  }

  /** Sets discarded rows to null in all optional columns of the block. */
  public void nullOptional(int from, int to) {
    for (int i = FIRST_OPTIONAL; i < COLUMNS; i++) {
      fillNull(FlowColumn.ALL.get(i), from, to);
    }
  }

  /** Sets a row to null in all columns of the block, before it is filled by column. */
  public void nullRow(int row) {
    for (int i = 0; i < COLUMNS; i++) {
      fillNull(FlowColumn.ALL.get(i), row, row + 1);
    }
  }

  void fillNull(FlowColumn column, int from, int to) {
    int i = column.ordinal();
    if (ints[i] != null) {
      Arrays.fill(ints[i], from, to, NULL);
    } else if (longs[i] != null) {
      Arrays.fill(longs[i], from, to, NULL);
    } else if (addressHigh[i] != null) {
      Arrays.fill(addressHigh[i], from, to, Addresses.NULL);
      Arrays.fill(addressLow[i], from, to, Addresses.NULL);
    }
  }

  /** Copies a row over another one, except joined columns. */
  public void copyRow(int from, int to) {
    if (from == to) {
      return;
    }
    for (int i = 0; i < COLUMNS; i++) {
      if (ints[i] != null) {
        ints[i][to] = ints[i][from];
      } else if (longs[i] != null) {
        longs[i][to] = longs[i][from];
      } else if (addressHigh[i] != null) {
        addressHigh[i][to] = addressHigh[i][from];
        addressLow[i][to] = addressLow[i][from];
      }
    }
    logIndex[to] = logIndex[from];
  }

  /**
   * Selects rows, including joined columns. {@link #names()} and {@link #counters()} stay with this
   * block, so that each is stored once.
   */
  @Override
  public FlowBlock select(int[] selected, int count) {
    FlowBlock block = new FlowBlock(count);
    block.logPosition(logPartition, logOffset);
    for (FlowColumn column : FlowColumn.ALL) {
      int i = column.ordinal();
      if (ints[i] != null) {
        Gather.ints(ints[i], selected, count, block.ints(column));
      } else if (longs[i] != null) {
        Gather.longs(longs[i], selected, count, block.longs(column));
      } else if (addressHigh[i] != null) {
        Gather.longs(addressHigh[i], selected, count, block.addressHigh(column));
        Gather.longs(addressLow[i], selected, count, block.addressLow(column));
      }
    }
    Gather.ints(logIndex, selected, count, block.logIndex);
    for (JoinedColumn column : joined) {
      int[] values = new int[count];
      Gather.ints(column.values(), selected, count, values);
      block.joined.add(new JoinedColumn(column.name(), column.kind(), column.base(), values));
    }
    block.rows = count;
    return block;
  }

  /**
   * Returns an empty block for more rows of the same log value. It takes over the {@link
   * #counters()}, since a value's last block has them; this block's counters then {@linkplain
   * ExporterCounters#isPart are a part}.
   */
  public FlowBlock next() {
    FlowBlock next = new FlowBlock(capacity);
    next.logPosition(logPartition, logOffset);
    next.counters = counters;
    counters = ExporterCounters.ofPart();
    return next;
  }

  /** Clears the rows, names and counters, and keeps the memory. */
  public void clear() {
    nullOptional(0, rows);
    rows = 0;
    joined.clear();
    names.clear();
    counters.clear();
  }

  /**
   * Index of each row among all rows of its log value, from 0. Decoders count rows here, not
   * samples.
   */
  public int[] logIndex() {
    return logIndex;
  }

  /** Log partition of all rows. */
  public int logPartition() {
    return logPartition;
  }

  /** Offset in the log partition of all rows. */
  public long logOffset() {
    return logOffset;
  }

  /** Sets the position in the log of all rows. */
  public void logPosition(int partition, long offset) {
    this.logPartition = partition;
    this.logOffset = offset;
  }

  /** Columns added by joins, in the order of the joins; not a copy. */
  public List<JoinedColumn> joined() {
    return joined;
  }

  /** Texts of {@link JoinedColumn} ids that the receiver may not have yet. */
  public NewNames names() {
    return names;
  }

  /** Counters of the rows' datagrams by exporter. */
  public ExporterCounters counters() {
    return counters;
  }
}
