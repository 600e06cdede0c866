package io.millrace.store.iceberg;

import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.duckdb.ChunkFunction;

/**
 * Up to {@value #CAPACITY} rows in memory, stored by column in the layout of DuckDB's vectors. One
 * thread appends; others read only rows that {@link RowBuffer} has made visible.
 */
final class TailChunk {
  static final int CAPACITY = ChunkFunction.CAPACITY;

  private static final int WORDS = CAPACITY / Long.SIZE;

  /** Bit of a UUID's upper half that DuckDB inverts in memory. */
  private static final long SIGN = Long.MIN_VALUE;

  private final FlowColumns columns;
  private final FlowPart part;
  private final ByteBuffer[] values;
  private final long[][] validity;
  private final boolean[] hasNull;
  private final int partitionIndex;
  private int rows;

  /** Reused arrays of one appending thread. */
  static final class Scratch {
    private final long[] longs = new long[2 * CAPACITY];
    private final int[] ints = new int[CAPACITY];
  }

  TailChunk(FlowColumns columns, FlowPart part, IntFunction<ByteBuffer> allocator) {
    this.columns = columns;
    this.part = part;
    int n = columns.columns().size();
    values = new ByteBuffer[n];
    validity = new long[n][];
    hasNull = new boolean[n];
    partitionIndex = columns.indexOf(FlowColumns.LOG_PARTITION);
    ByteBuffer all = allocator.apply(bytes(columns, part));
    int at = 0;
    for (int i = 0; i < n; i++) {
      FlowColumns.Column column = columns.columns().get(i);
      if (part == FlowPart.RECORDS || column.inPackets()) {
        int bytes = column.type().width() * CAPACITY;
        values[i] = all.slice(at, bytes).order(ByteOrder.nativeOrder());
        validity[i] = new long[WORDS];
        at += bytes;
      }
    }
    clear();
  }

  /** Bytes of a chunk's values. */
  static int bytes(FlowColumns columns, FlowPart part) {
    return columns.of(part).stream().mapToInt(column -> column.type().width()).sum() * CAPACITY;
  }

  FlowPart part() {
    return part;
  }

  FlowColumns columns() {
    return columns;
  }

  void clear() {
    rows = 0;
    Arrays.fill(hasNull, false);
    for (long[] bits : validity) {
      if (bits != null) {
        Arrays.fill(bits, -1L);
      }
    }
  }

  int room() {
    return CAPACITY - rows;
  }

  /** Values of a column; null if the part lacks it. */
  ByteBuffer values(int column) {
    return values[column];
  }

  /** Validity bits of a column; null if no value is NULL. */
  long[] validity(int column) {
    return hasNull[column] ? validity[column] : null;
  }

  /** Arrival of a row, microseconds since the epoch. */
  long time(int row) {
    return values[0].getLong(row * Long.BYTES); // TIME is the first column of the wire
  }

  /**
   * Appends rows of a block.
   *
   * @param joined the block's added columns in the order of the table's schema, null if missing
   * @param n at most {@link #room}
   */
  void append(
      FlowBlock block, int from, int n, List<JoinedColumn> joined, TextIds ids, Scratch scratch) {
    for (FlowColumn source : FlowColumn.ALL) {
      int column = source.ordinal();
      if (values[column] == null) {
        continue;
      }
      if (!block.has(source)) {
        nullAll(column, n);
        continue;
      }
      switch (source.type()) {
        case TIME, MOMENT, MAC, U64 -> copyLongs(column, block.longs(source), from, n);
        case U32 -> widen(column, block.ints(source), from, n, scratch);
        case U8, U16 -> copyInts(column, block.ints(source), from, n);
        case ADDRESS ->
            copyAddresses(
                column, block.addressHigh(source), block.addressLow(source), from, n, scratch);
      }
    }
    Arrays.fill(scratch.ints, 0, n, block.logPartition());
    ints(partitionIndex, scratch.ints, 0, n);
    Arrays.fill(scratch.longs, 0, n, block.logOffset());
    longs(partitionIndex + 1, scratch.longs, 0, n);
    ints(partitionIndex + 2, block.logIndex(), from, n);
    for (int i = 0; i < joined.size(); i++) {
      copyJoined(partitionIndex + 3 + i, joined.get(i), from, n, ids, scratch);
    }
    rows += n;
  }

  private void longs(int column, long[] source, int from, int n) {
    values[column].asLongBuffer().put(rows, source, from, n);
  }

  private void ints(int column, int[] source, int from, int n) {
    values[column].asIntBuffer().put(rows, source, from, n);
  }

  private void copyLongs(int column, long[] source, int from, int n) {
    longs(column, source, from, n);
    long found = 0;
    for (int i = from; i < from + n; i++) {
      found |= source[i];
    }
    if (found < 0) { // NULL is the only negative value
      for (int i = 0; i < n; i++) {
        nullIf(column, i, source[from + i] == FlowBlock.NULL);
      }
    }
  }

  private void copyInts(int column, int[] source, int from, int n) {
    ints(column, source, from, n);
    nulls(column, source, from, n);
  }

  private void widen(int column, int[] source, int from, int n, Scratch scratch) {
    long[] wide = scratch.longs;
    for (int i = 0; i < n; i++) {
      wide[i] = source[from + i] & 0xFFFF_FFFFL;
    }
    longs(column, wide, 0, n);
    nulls(column, source, from, n);
  }

  private void copyAddresses(
      int column, long[] high, long[] low, int from, int n, Scratch scratch) {
    long[] pairs = scratch.longs;
    long found = 0;
    for (int i = 0; i < n; i++) {
      pairs[2 * i] = low[from + i];
      pairs[2 * i + 1] = high[from + i] ^ SIGN;
      found |= high[from + i];
    }
    values[column].asLongBuffer().put(2 * rows, pairs, 0, 2 * n);
    if (found < 0) {
      for (int i = 0; i < n; i++) {
        nullIf(column, i, Addresses.isNull(high[from + i], low[from + i]));
      }
    }
  }

  private void copyJoined(
      int column, JoinedColumn joined, int from, int n, TextIds ids, Scratch scratch) {
    if (joined == null) {
      nullAll(column, n);
      return;
    }
    int[] source = joined.values();
    if (joined.kind() == JoinedColumn.Kind.NUMBER) {
      widen(column, source, from, n, scratch);
      return;
    }
    long base = joined.base();
    long[] stored = scratch.longs;
    for (int i = 0; i < n; i++) {
      stored[i] = base + source[from + i];
    }
    ids.toStored(stored, n);
    longs(column, stored, 0, n);
    nulls(column, source, from, n);
  }

  private void nulls(int column, int[] source, int from, int n) {
    int found = 0;
    for (int i = from; i < from + n; i++) {
      found |= source[i];
    }
    if (found < 0) {
      for (int i = 0; i < n; i++) {
        nullIf(column, i, source[from + i] == FlowBlock.NULL);
      }
    }
  }

  private void nullAll(int column, int n) {
    long[] mask = validity[column];
    int end = rows + n;
    for (int bit = rows; bit < end; bit = (bit | 63) + 1) {
      long upTo = end - (bit & ~63) < 64 ? (1L << end) - 1 : -1L;
      mask[bit >> 6] &= ~(upTo & -1L << bit);
    }
    hasNull[column] = true;
  }

  private void nullIf(int column, int i, boolean isNull) {
    int bit = rows + i;
    validity[column][bit >> 6] &= ~((isNull ? 1L : 0L) << bit);
    hasNull[column] = true;
  }
}
