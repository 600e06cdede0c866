package io.millrace.analytics.keyed;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.Arrays;

/**
 * Rows of a table by some of its columns, of any type: deals them out ({@link RowKeys}) and makes
 * the keys of a {@link ByteKeyTable}, with the same hash.
 *
 * <pre>{@code
 * static final KeyColumns KEYS = KeyColumns.of(SCHEMA, "campaign", "client");
 * ...
 * for (int row = 0; row < block.rows(); row++) {
 *   int entry = table.entry(KEYS.read(block, row, key));
 * }
 * }</pre>
 *
 * Immutable. A column's place and type are part of the state: another order is another key.
 */
public final class KeyColumns implements RowKeys<TableBlock> {
  private static final long serialVersionUID = 1L;

  private final TableSchema schema;
  private final int[] columns;

  private KeyColumns(TableSchema schema, int[] columns) {
    this.schema = schema;
    this.columns = columns;
  }

  /**
   * Keys of columns, in the order given.
   *
   * @throws IllegalArgumentException if there is none, or none of that name
   */
  public static KeyColumns of(TableSchema schema, String... names) {
    if (names.length == 0) {
      throw new IllegalArgumentException("a key of no columns");
    }
    int[] columns = Arrays.stream(names).mapToInt(schema::indexOf).toArray();
    for (int i = 0; i < columns.length; i++) {
      if (columns[i] < 0) {
        throw new IllegalArgumentException("key column '" + names[i] + "' is not in the table");
      }
    }
    return new KeyColumns(schema, columns);
  }

  @Override
  public void hashes(TableBlock block, int[] hashes) {
    KeyBytes key = new KeyBytes();
    for (int row = 0; row < block.rows(); row++) {
      hashes[row] = read(block, row, key).hash();
    }
  }

  /**
   * The key of a row.
   *
   * @param key filled anew, and given back
   */
  public KeyBytes read(TableBlock block, int row, KeyBytes key) {
    key.clear();
    for (int column : columns) {
      switch (schema.type(column)) {
        case TIME, LONG -> key.number(block.longs(column)[row]);
        case DOUBLE -> key.number(Double.doubleToLongBits(block.doubles(column)[row]));
        case ADDRESS -> key.address(block.addressHigh(column)[row], block.addressLow(column)[row]);
        case TEXT -> key.text(block.texts(column), row);
      }
    }
    return key;
  }

  /**
   * Takes a key apart into columns of a row of another table, of the same types as those of the key
   * and in their order.
   *
   * @param row the next one, for which there is room
   * @param first of the columns that are filled, the others follow it
   */
  public void write(KeyBytes key, TableBlock to, int row, int first) {
    for (int i = 0; i < columns.length; i++) {
      int column = first + i;
      switch (schema.type(columns[i])) {
        case TIME, LONG -> to.longs(column)[row] = key.takeNumber();
        case DOUBLE -> to.doubles(column)[row] = Double.longBitsToDouble(key.takeNumber());
        case ADDRESS -> {
          to.addressHigh(column)[row] = key.takeNumber();
          to.addressLow(column)[row] = key.takeNumber();
        }
        case TEXT -> key.takeText(to.texts(column));
      }
    }
  }
}
