package io.millrace.analytics.keyed;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.Arrays;

/**
 * Key columns of a table, of any type: partitions rows ({@link RowKeys}) and makes keys of a {@link
 * ByteKeyTable}, with the same hash.
 *
 * <pre>{@code
 * static final KeyColumns KEYS = KeyColumns.of(SCHEMA, "campaign", "client");
 * ...
 * for (int row = 0; row < block.rows(); row++) {
 *   int entry = table.entry(KEYS.read(block, row, key));
 * }
 * }</pre>
 *
 * Immutable. A column's position and type are part of the state: another order is another key.
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
   * Keys of columns, in that order.
   *
   * @throws IllegalArgumentException for no columns, or an unknown name
   */
  public static KeyColumns of(TableSchema schema, String... names) {
    if (names.length == 0) {
      throw new IllegalArgumentException("key without columns, expected at least one");
    }
    int[] columns = Arrays.stream(names).mapToInt(schema::indexOf).toArray();
    for (int i = 0; i < columns.length; i++) {
      if (columns[i] < 0) {
        throw new IllegalArgumentException("unknown key column '" + names[i] + "'");
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
   * Reads the key of a row.
   *
   * @param key is overwritten, and returned
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
   * Writes a key's parts to columns of a row of another table, of the same types and in order.
   *
   * @param row the next one, with reserved space
   * @param first of the consecutive columns
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
