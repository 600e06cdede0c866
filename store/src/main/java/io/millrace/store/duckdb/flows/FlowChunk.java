package io.millrace.store.duckdb.flows;

import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.Arrays;
import org.duckdb.ChunkAppender;

/**
 * One chunk of rows on its way into DuckDB: copies columns of blocks one after another until {@link
 * ChunkAppender#CAPACITY} rows are there.
 *
 * <p>About 170 bytes are written for a row, all in column order: each column is narrowed into a
 * scratch array by a loop that vectorises, and copied from there as a whole. Used by one thread at
 * a time.
 */
final class FlowChunk implements AutoCloseable {
  private static final int CAPACITY = ChunkAppender.CAPACITY;
  private static final int WORDS = CAPACITY / Long.SIZE;

  private final ChunkAppender.Chunk chunk;
  private final NameDictionary names;
  private final long[][] masks;
  private final boolean[] hasNull;
  private final byte[] bytes = new byte[CAPACITY];
  private final short[] shorts = new short[CAPACITY];
  private final int[] ints = new int[CAPACITY];
  private final long[] longs = new long[2 * CAPACITY];
  private final int[] wirePlaces;
  private final int partitionPlace;
  private final int offsetPlace;
  private final int indexPlace;
  private final int[] joinedPlaces;
  private int rows;
  private long sinceNanos;
  private long newestMicros;

  FlowChunk(ChunkAppender appender, FlowLayout layout, NameDictionary names) {
    this.names = names;
    int columns = layout.columns().size();
    wirePlaces = layout.wirePlaces();
    partitionPlace = layout.place("log_partition");
    offsetPlace = layout.place("log_offset");
    indexPlace = layout.place("log_index");
    joinedPlaces = layout.joinedPlaces();
    chunk = appender.newChunk();
    masks = new long[columns][WORDS];
    hasNull = new boolean[columns];
    start();
  }

  int rows() {
    return rows;
  }

  int room() {
    return CAPACITY - rows;
  }

  void copy(FlowBlock block, int[] pick, int from, int n, JoinedColumn[] joined) {
    if (rows == 0) {
      sinceNanos = System.nanoTime();
    }
    for (FlowColumn source : FlowColumn.ALL) {
      int column = wirePlaces[source.ordinal()];
      if (column < 0) {
        continue;
      }
      if (!block.has(source)) {
        nullAll(column, n);
        continue;
      }
      switch (source.type()) {
        case TIME, MOMENT, MAC, U64 -> copyLongs(column, block.longs(source), pick, from, n);
        case U32 -> copyInts(column, block.ints(source), pick, from, n);
        case U16 -> copyShorts(column, block.ints(source), pick, from, n);
        case U8 -> copyBytes(column, block.ints(source), pick, from, n);
        case ADDRESS ->
            copyAddresses(
                column, block.addressHigh(source), block.addressLow(source), pick, from, n);
      }
    }
    newestMicros = Math.max(newestMicros, newest(block.longs(FlowColumn.TIME), pick, from, n));
    Arrays.fill(ints, 0, n, block.logPartition());
    chunk.data(partitionPlace).asIntBuffer().put(rows, ints, 0, n);
    Arrays.fill(longs, 0, n, block.logOffset());
    chunk.data(offsetPlace).asLongBuffer().put(rows, longs, 0, n);
    copyInts(indexPlace, block.logIndex(), pick, from, n);
    for (int i = 0; i < joined.length; i++) {
      copyJoined(joinedPlaces[i], joined[i], pick, from, n);
    }
    rows += n;
  }

  private static long newest(long[] times, int[] pick, int from, int n) {
    long newest = Long.MIN_VALUE;
    for (int i = from; i < from + n; i++) {
      newest = Math.max(newest, times[pick[i]]);
    }
    return newest;
  }

  private void copyLongs(int column, long[] values, int[] pick, int from, int n) {
    long[] out = longs;
    long found = 0;
    for (int i = 0; i < n; i++) {
      long value = values[pick[from + i]];
      out[i] = value;
      found |= value;
    }
    chunk.data(column).asLongBuffer().put(rows, out, 0, n);
    if (found < 0) { // NULL is the only negative value
      for (int i = 0; i < n; i++) {
        nullIf(column, i, values[pick[from + i]] == FlowBlock.NULL);
      }
    }
  }

  private void copyInts(int column, int[] values, int[] pick, int from, int n) {
    int[] out = ints;
    int found = 0;
    for (int i = 0; i < n; i++) {
      int value = values[pick[from + i]];
      out[i] = value;
      found |= value;
    }
    chunk.data(column).asIntBuffer().put(rows, out, 0, n);
    nulls(column, found, values, pick, from, n);
  }

  private void copyShorts(int column, int[] values, int[] pick, int from, int n) {
    short[] out = shorts;
    int found = 0;
    for (int i = 0; i < n; i++) {
      int value = values[pick[from + i]];
      out[i] = (short) value;
      found |= value;
    }
    chunk.data(column).asShortBuffer().put(rows, out, 0, n);
    nulls(column, found, values, pick, from, n);
  }

  private void copyBytes(int column, int[] values, int[] pick, int from, int n) {
    byte[] out = bytes;
    int found = 0;
    for (int i = 0; i < n; i++) {
      int value = values[pick[from + i]];
      out[i] = (byte) value;
      found |= value;
    }
    chunk.data(column).put(rows, out, 0, n);
    nulls(column, found, values, pick, from, n);
  }

  private void copyAddresses(int column, long[] high, long[] low, int[] pick, int from, int n) {
    long[] out = longs;
    long found = 0;
    for (int i = 0; i < n; i++) {
      int row = pick[from + i];
      out[2 * i] = low[row];
      out[2 * i + 1] = high[row];
      found |= high[row];
    }
    chunk.data(column).asLongBuffer().put(2 * rows, out, 0, 2 * n);
    if (found < 0) {
      for (int i = 0; i < n; i++) {
        int row = pick[from + i];
        nullIf(column, i, Addresses.isNull(high[row], low[row]));
      }
    }
  }

  private void copyJoined(int column, JoinedColumn joined, int[] pick, int from, int n) {
    if (joined == null) {
      nullAll(column, n);
      return;
    }
    int[] values = joined.values();
    if (joined.kind() == JoinedColumn.Kind.NUMBER) {
      copyInts(column, values, pick, from, n);
      return;
    }
    long base = joined.base();
    long[] out = longs;
    int found = 0;
    for (int i = 0; i < n; i++) {
      int value = values[pick[from + i]];
      out[i] = base + value;
      found |= value;
    }
    names.toCanonical(out, n);
    chunk.data(column).asLongBuffer().put(rows, out, 0, n);
    nulls(column, found, values, pick, from, n);
  }

  private void nulls(int column, int found, int[] values, int[] pick, int from, int n) {
    if (found < 0) {
      for (int i = 0; i < n; i++) {
        nullIf(column, i, values[pick[from + i]] == FlowBlock.NULL);
      }
    }
  }

  /** Makes the next {@code n} rows of a column null. */
  private void nullAll(int column, int n) {
    long[] mask = masks[column];
    int end = rows + n;
    for (int bit = rows; bit < end; bit = (bit | 63) + 1) {
      long upTo = end - (bit & ~63) < 64 ? (1L << end) - 1 : -1L;
      mask[bit >> 6] &= ~(upTo & -1L << bit);
    }
    hasNull[column] = true;
  }

  private void nullIf(int column, int i, boolean isNull) {
    int bit = rows + i;
    masks[column][bit >> 6] &= ~((isNull ? 1L : 0L) << bit);
    hasNull[column] = true;
  }

  void append(ChunkAppender appender) throws SQLException {
    for (int column = 0; column < hasNull.length; column++) {
      if (hasNull[column]) {
        ByteBuffer validity = chunk.validity(column);
        validity.asLongBuffer().put(0, masks[column], 0, WORDS);
      }
    }
    appender.append(chunk, rows);
  }

  /** When the first row came, as {@link System#nanoTime}; the largest number if there is none. */
  long sinceNanos() {
    return sinceNanos;
  }

  long newestMicros() {
    return newestMicros;
  }

  void clear() {
    if (rows > 0) {
      chunk.reset();
    }
    start();
  }

  private void start() {
    rows = 0;
    newestMicros = Long.MIN_VALUE;
    sinceNanos = Long.MAX_VALUE;
    for (int column = 0; column < hasNull.length; column++) {
      Arrays.fill(masks[column], -1L);
      hasNull[column] = false;
    }
  }

  @Override
  public void close() {
    chunk.close();
  }
}
