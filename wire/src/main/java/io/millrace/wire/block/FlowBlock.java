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
 * long as the capacity, and entries behind the rows mean nothing. Not thread-safe.
 */
public final class FlowBlock implements Block {
  /** No value, in columns of {@code int} and of {@code long}. */
  public static final int NULL = -1;

  private static final int COLUMNS = FlowColumn.ALL.size();

  private final long[][] longs = new long[COLUMNS][];
  private final int[][] ints = new int[COLUMNS][];
  private final long[][] addressHigh = new long[COLUMNS][];
  private final long[][] addressLow = new long[COLUMNS][];
  private int[] logIndex;
  private final List<JoinedColumn> joined = new ArrayList<>();
  private final NewNames names = new NewNames();
  private final Tally tally = new Tally();
  private int rows;
  private int capacity;
  private int logPartition;
  private long logOffset;

  /** An empty block with room for {@code capacity} rows. */
  public FlowBlock(int capacity) {
    this.capacity = capacity;
    for (FlowColumn column : FlowColumn.ALL) {
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
    logIndex = new int[capacity];
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
    capacity = Math.max(needed, capacity * 2);
    for (int i = 0; i < COLUMNS; i++) {
      longs[i] = grown(longs[i]);
      ints[i] = grown(ints[i]);
      addressHigh[i] = grown(addressHigh[i]);
      addressLow[i] = grown(addressLow[i]);
    }
    logIndex = grown(logIndex);
  }

  private long[] grown(long[] array) {
    return array == null ? null : Arrays.copyOf(array, capacity);
  }

  private int[] grown(int[] array) {
    return array == null ? null : Arrays.copyOf(array, capacity);
  }

  /** The values of a {@code TIME} or {@code U64} column; null for columns of other types. */
  public long[] longs(FlowColumn column) {
    return longs[column.ordinal()];
  }

  /** The values of a {@code U8}, {@code U16} or {@code U32} column; null for other types. */
  public int[] ints(FlowColumn column) {
    return ints[column.ordinal()];
  }

  /** The upper 64 bits of an {@code ADDRESS} column; null for columns of other types. */
  public long[] addressHigh(FlowColumn column) {
    return addressHigh[column.ordinal()];
  }

  /** The lower 64 bits of an {@code ADDRESS} column; null for columns of other types. */
  public long[] addressLow(FlowColumn column) {
    return addressLow[column.ordinal()];
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
  public Tally tally() {
    return tally;
  }
}
