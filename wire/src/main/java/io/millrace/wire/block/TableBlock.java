package io.millrace.wire.block;

import java.util.Arrays;

/**
 * Rows of a table with any columns: the input and output of analyzers. A new kind of rows needs
 * only a {@link TableSchema}, no class and no serializer.
 *
 * <p>As with {@link FlowBlock}, hot code copies the arrays to locals, calls {@link #reserve} before
 * a loop, writes at {@link #rows()} and calls {@link #rows(int)} afterwards. Arrays are as long as
 * the capacity, and entries after the rows are undefined; only {@link Texts} grow row by row. Not
 * thread-safe.
 */
public final class TableBlock implements Selectable<TableBlock> {
  /** No value, in columns of times and whole numbers. */
  public static final long NULL = Long.MIN_VALUE;

  private final TableSchema schema;

  private final long[][] longs;

  private final long[][] lows;

  private final double[][] doubles;
  private final Texts[] texts;
  private int rows;
  private int capacity;

  /** An empty block with a capacity of {@code capacity} rows. */
  public TableBlock(TableSchema schema, int capacity) {
    this.schema = schema;
    this.capacity = capacity;
    int columns = schema.size();
    longs = new long[columns][];
    lows = new long[columns][];
    doubles = new double[columns][];
    texts = new Texts[columns];
    for (int i = 0; i < columns; i++) {
      make(i, capacity);
    }
  }

  private void make(int column, int length) {
    switch (schema.type(column)) {
      case TIME, LONG -> longs[column] = new long[length];
      case DOUBLE -> doubles[column] = new double[length];
      case ADDRESS -> {
        longs[column] = new long[length];
        lows[column] = new long[length];
      }
      case TEXT -> texts[column] = new Texts(length);
    }
  }

  /** A block of {@code rows} rows, whose columns are filled by {@link #read}. */
  static TableBlock toRead(TableSchema schema, int rows) {
    TableBlock block = new TableBlock(schema, 0);
    block.capacity = rows;
    block.rows = rows;
    return block;
  }

  /** Reads a column; allocates its arrays only after checking that the bytes exist. */
  void read(BlockInput in, int column) {
    if (in.remaining() < rows) {
      throw in.broken("a column has fewer bytes than rows");
    }
    make(column, rows);
    switch (schema.type(column)) {
      case TIME, LONG -> Plane.read(in, longs[column], rows);
      case DOUBLE -> {
        long[] bits = new long[rows];
        Plane.read(in, bits, rows);
        Arrays.setAll(doubles[column], i -> Double.longBitsToDouble(bits[i]));
      }
      case ADDRESS -> {
        Plane.read(in, longs[column], rows);
        Plane.read(in, lows[column], rows);
      }
      case TEXT -> texts[column].read(in, rows);
    }
  }

  void write(BlockBuffer out, int column) {
    switch (schema.type(column)) {
      case TIME, LONG -> Plane.write(out, longs[column], rows, 1);
      case DOUBLE -> {
        long[] bits = new long[rows];
        Arrays.setAll(bits, i -> Double.doubleToLongBits(doubles[column][i]));
        Plane.write(out, bits, rows, 1);
      }
      case ADDRESS -> {
        Plane.write(out, longs[column], rows, 1);
        Plane.write(out, lows[column], rows, 0);
      }
      case TEXT -> texts[column].write(out);
    }
  }

  /** Names and types of the columns. */
  public TableSchema schema() {
    return schema;
  }

  @Override
  public int rows() {
    return rows;
  }

  /**
   * Sets the number of filled rows of every column.
   *
   * @throws IllegalStateException if a column of texts has another number of rows
   */
  public void rows(int rows) {
    for (int i = 0; i < texts.length; i++) {
      if (texts[i] != null && texts[i].rows() != rows) {
        throw new IllegalStateException(
            rows
                + " rows, found "
                + texts[i].rows()
                + " texts in "
                + schema.columns().get(i).name());
      }
    }
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
    capacity = Math.max(needed, capacity * 2);
    for (int i = 0; i < longs.length; i++) {
      longs[i] = longs[i] == null ? null : Arrays.copyOf(longs[i], capacity);
      lows[i] = lows[i] == null ? null : Arrays.copyOf(lows[i], capacity);
      doubles[i] = doubles[i] == null ? null : Arrays.copyOf(doubles[i], capacity);
    }
  }

  /** The values of a column of times or whole numbers; null for other types. */
  public long[] longs(int column) {
    return lows[column] == null ? longs[column] : null;
  }

  /** The values of a column of fractions; null for other types. */
  public double[] doubles(int column) {
    return doubles[column];
  }

  /** The upper halves of a column of addresses; null for other types. */
  public long[] addressHigh(int column) {
    return lows[column] == null ? null : longs[column];
  }

  /** The lower halves of a column of addresses; null for other types. */
  public long[] addressLow(int column) {
    return lows[column];
  }

  /** The values of a column of texts; null for other types. */
  public Texts texts(int column) {
    return texts[column];
  }

  /** A value as readable text; times in microseconds, null for none. */
  public String text(int row, int column) {
    return switch (schema.type(column)) {
      case TIME, LONG -> longs[column][row] == NULL ? null : Long.toString(longs[column][row]);
      case DOUBLE ->
          Double.isNaN(doubles[column][row]) ? null : Double.toString(doubles[column][row]);
      case ADDRESS ->
          Addresses.isNull(longs[column][row], lows[column][row])
              ? null
              : Addresses.toText(longs[column][row], lows[column][row]);
      case TEXT -> texts[column].get(row);
    };
  }

  /** Clears the rows and keeps the memory. */
  public void clear() {
    rows = 0;
    for (Texts column : texts) {
      if (column != null) {
        column.clear();
      }
    }
  }

  /** Appends a row of a block with the same columns. */
  public void add(TableBlock other, int row) {
    reserve(1);
    for (int i = 0; i < longs.length; i++) {
      if (texts[i] != null) {
        texts[i].add(other.texts[i], row);
      } else if (doubles[i] != null) {
        doubles[i][rows] = other.doubles[i][row];
      } else {
        longs[i][rows] = other.longs[i][row];
        if (lows[i] != null) {
          lows[i][rows] = other.lows[i][row];
        }
      }
    }
    rows++;
  }

  /**
   * Appends rows of a block with the same columns.
   *
   * @param selected their numbers
   * @param count number of entries of {@code selected}
   */
  public void add(TableBlock other, int[] selected, int count) {
    reserve(count);
    for (int i = 0; i < longs.length; i++) {
      if (texts[i] != null) {
        for (int row = 0; row < count; row++) {
          texts[i].add(other.texts[i], selected[row]);
        }
      } else if (doubles[i] != null) {
        double[] to = doubles[i];
        double[] from = other.doubles[i];
        for (int row = 0; row < count; row++) {
          to[rows + row] = from[selected[row]];
        }
      } else {
        gather(other.longs[i], selected, count, longs[i]);
        if (lows[i] != null) {
          gather(other.lows[i], selected, count, lows[i]);
        }
      }
    }
    rows += count;
  }

  private void gather(long[] from, int[] selected, int count, long[] to) {
    int first = rows;
    for (int row = 0; row < count; row++) {
      to[first + row] = from[selected[row]];
    }
  }

  /**
   * Moves the rows to a schema with a subset of the columns and possibly additional ones. Transfers
   * the arrays, so this block must not be used afterwards. Additional columns are undefined, or
   * empty for texts.
   *
   * @param columns index here of each column of {@code other}, of the same type; negative for an
   *     additional one
   */
  public TableBlock as(TableSchema other, int[] columns) {
    TableBlock block = new TableBlock(other, 0);
    block.capacity = capacity;
    block.rows = rows;
    for (int i = 0; i < columns.length; i++) {
      int own = columns[i];
      if (own < 0) {
        block.make(i, capacity);
      } else {
        block.longs[i] = longs[own];
        block.lows[i] = lows[own];
        block.doubles[i] = doubles[own];
        block.texts[i] = texts[own];
      }
    }
    return block;
  }

  @Override
  public TableBlock select(int[] selected, int count) {
    TableBlock block = new TableBlock(schema, count);
    for (int i = 0; i < longs.length; i++) {
      if (longs[i] != null) {
        Gather.longs(longs[i], selected, count, block.longs[i]);
      }
      if (lows[i] != null) {
        Gather.longs(lows[i], selected, count, block.lows[i]);
      }
      if (doubles[i] != null) {
        Gather.doubles(doubles[i], selected, count, block.doubles[i]);
      }
      for (int row = 0; texts[i] != null && row < count; row++) {
        block.texts[i].add(texts[i], selected[row]);
      }
    }
    block.rows = count;
    return block;
  }
}
