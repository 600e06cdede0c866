package io.millrace.analytics.reduce;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * Layout of rows that can be summed: the end of a window, a key, sums. {@link
 * io.millrace.analytics.windows.SumsByWindow} emits this layout.
 *
 * @param schema first a time: the end of the row's window, exclusive; then the key, of numbers,
 *     times and addresses, or no key at all; then at least one sum, of whole numbers without nulls
 * @param sumColumns number of columns at the end that are sums
 */
public record CombinedRows(TableSchema schema, int sumColumns) implements Serializable {
  /** Validates the columns. */
  public CombinedRows {
    int keys = schema.size() - sumColumns;
    if (sumColumns < 1 || keys < 1) {
      throw new IllegalArgumentException(
          "%d sums, expected 1 to %d, the columns without the end of the window"
              .formatted(sumColumns, schema.size() - 1));
    }
    if (schema.type(0) != TableSchema.Type.TIME) {
      throw new IllegalArgumentException(
          "column '%s' is %s, expected a time as the first column, the end of the window"
              .formatted(schema.columns().get(0).name(), schema.type(0)));
    }
    for (int column = 0; column < schema.size(); column++) {
      TableSchema.Type type = schema.type(column);
      boolean isSum = column >= keys;
      if (isSum
          ? type != TableSchema.Type.LONG
          : type == TableSchema.Type.TEXT || type == TableSchema.Type.DOUBLE) {
        throw new IllegalArgumentException(
            "column '"
                + schema.columns().get(column).name()
                + "' is "
                + type
                + (isSum
                    ? ", expected a whole number for a sum"
                    : ", expected a number, a time or an address for a key"));
      }
    }
  }

  /** Names of the sums. */
  public List<String> sums() {
    return schema.columns().subList(schema.size() - sumColumns, schema.size()).stream()
        .map(TableSchema.Column::name)
        .toList();
  }

  int keyLongs() {
    int longs = 0;
    for (int column = 0; column < schema.size() - sumColumns; column++) {
      longs += schema.type(column) == TableSchema.Type.ADDRESS ? 2 : 1;
    }
    return longs;
  }

  long[][] keyColumns(TableBlock block) {
    List<long[]> columns = new ArrayList<>();
    for (int column = 0; column < schema.size() - sumColumns; column++) {
      if (schema.type(column) == TableSchema.Type.ADDRESS) {
        columns.add(block.addressHigh(column));
        columns.add(block.addressLow(column));
      } else {
        columns.add(block.longs(column));
      }
    }
    return columns.toArray(new long[0][]);
  }

  long[][] sumColumns(TableBlock block) {
    long[][] columns = new long[sumColumns][];
    for (int i = 0; i < sumColumns; i++) {
      columns[i] = block.longs(schema.size() - sumColumns + i);
    }
    return columns;
  }
}
