package io.millrace.wire.block;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Flows as columns: what a decoder makes of one value of the log, what joins add to, what the store
 * appends.
 *
 * <p>All rows of a block come from the log value at ({@link #logPartition()}, {@link
 * #logOffset()}); a row's identity is that place and its {@link #logIndex()}, so that it is the
 * same each time the log is read. Hot code takes the arrays into locals, calls {@link #reserve}
 * before a loop, writes at {@link #rows()} and says {@link #rows(int)} behind it; arrays are as
 * long as the capacity, and entries behind the rows mean nothing.
 *
 * <p>Columns that are {@linkplain FlowColumn#optional() optional} are made by the first who asks
 * for their array, and are {@link #NULL} wherever nobody wrote: who does not know a column fills
 * its rows with nothing. Not thread-safe.
 */
public final class FlowBlock implements Selectable<FlowBlock> {
  /** No value, in columns of {@code int} and of {@code long}. */
  public static final int NULL = -1;

  /**
   * Rows behind which a decoder should begin another block, where its log value gives more: memory
   * and what waits behind a block go with its size, and a few thousand rows are enough for every
   * cost that a block has as such to be small.
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

  /** An empty block with room for {@code capacity} rows. */
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

  /** Says that the first {@code rows} entries of every column are filled. */
  public void rows(int rows) {
    this.rows = rows;
  }

  /** Number of rows for which there is room. */
  public int capacity() {
    return capacity;
  }

  /** Makes room for {@code more} rows behind {@link #rows()}; arrays taken before may be stale. */
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

  /** Whether the block holds the column; one that it does not hold is null in every row. */
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

  /** Makes an optional column, null in every row. */
  private <A> A held(FlowColumn column, A[] arrays) {
    make(column);
    fillNull(column, 0, capacity);
    return arrays[column.ordinal()];
  }

  /**
   * Makes the rows from {@code from} to {@code to} null in all optional columns that the block
   * holds: for rows that were written and then given up.
   */
  public void nullOptional(int from, int to) {
    for (int i = FIRST_OPTIONAL; i < COLUMNS; i++) {
      fillNull(FlowColumn.ALL.get(i), from, to);
    }
  }

  /** Makes a row null in all columns that the block holds: for one that is filled by column. */
  public void nullRow(int row) {
    for (int i = 0; i < COLUMNS; i++) {
      fillNull(FlowColumn.ALL.get(i), row, row + 1);
    }
  }

  /** Makes the rows from {@code from} to {@code to} null in a column, if the block holds it. */
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

  /** Copies the wire's columns of a row over those of another; joined columns are left alone. */
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
   * As said there, joined columns included. What a block carries beside its rows stays with this
   * one: the {@link #names()}, which are the store's, and the {@link #counters()}, which counts a
   * datagram once.
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
   * An empty block for more rows of the same log value. It takes the {@link #counters()} over,
   * which goes with the value's last block; this one's says that it {@linkplain
   * ExporterCounters#isPart is a part}.
   */
  public FlowBlock next() {
    FlowBlock next = new FlowBlock(capacity);
    next.logPosition(logPartition, logOffset);
    next.counters = counters;
    counters = ExporterCounters.ofPart();
    return next;
  }

  /** Forgets the rows and all that came with them, and keeps the memory. */
  public void clear() {
    nullOptional(0, rows);
    rows = 0;
    joined.clear();
    names.clear();
    counters.clear();
  }

  /**
   * Each row's place among all rows that its log value gives, counted from 0. Decoders that give a
   * row for each sample count here the rows, not the samples.
   */
  public int[] logIndex() {
    return logIndex;
  }

  /** Partition of the log from which all rows come. */
  public int logPartition() {
    return logPartition;
  }

  /** Offset in the partition from which all rows come. */
  public long logOffset() {
    return logOffset;
  }

  /** Sets the place in the log from which all rows come. */
  public void logPosition(int partition, long offset) {
    this.logPartition = partition;
    this.logOffset = offset;
  }

  /** The columns that joins have added, in the order of the joins; the list itself. */
  public List<JoinedColumn> joined() {
    return joined;
  }

  /** Texts of {@link JoinedColumn} ids that the receiver may not have yet. */
  public NewNames names() {
    return names;
  }

  /** What became of the datagrams from which the rows come, by exporter. */
  public ExporterCounters counters() {
    return counters;
  }
}
