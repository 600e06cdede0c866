package io.millrace.wire.record;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.Arrays;
import java.util.Optional;

/**
 * Converter of records from the log to the current columns of their stream, with their log
 * positions and arrival. A field added to the schema since then gets its default, and a removed one
 * is dropped. Not thread-safe.
 */
public final class RecordColumns {
  private static final int NONE = -1;

  private final TableSchema placed;
  private final RecordRow row;
  private final boolean[] isRequired;
  private TableSchema last; // of the previous block; null before the first one
  private int[] mapping; // null if records of that schema are incompatible

  /** A converter to that schema. */
  public RecordColumns(RecordSchema schema) {
    placed = schema.columnsWithPlace();
    row = new RecordRow(schema);
    isRequired = new boolean[row.size()];
    for (int i = 0; i < isRequired.length; i++) {
      isRequired[i] = schema.fields().get(i).required();
    }
  }

  /** Columns of the returned blocks. */
  public TableSchema schema() {
    return placed;
  }

  /**
   * Converts the records of one value of the log; empty if they lack a required field or have
   * another type.
   *
   * @param records is consumed
   */
  public Optional<TableBlock> place(
      TableBlock records, int partition, long offset, long arrivalMicros) {
    if (!records.schema().equals(last)) {
      last = records.schema();
      mapping = mapping(last);
    }
    if (mapping == null) {
      return Optional.empty();
    }
    TableBlock block = records.as(placed, mapping);
    for (int field = 0; field < row.size(); field++) {
      if (mapping[field] == NONE) {
        row.fillAbsent(block, field);
      }
    }
    place(block, 0, partition, offset, arrivalMicros);
    return Optional.of(block);
  }

  private int[] mapping(TableSchema from) {
    int[] columns = new int[placed.size()];
    Arrays.fill(columns, NONE);
    for (int field = 0; field < row.size(); field++) {
      int column = from.indexOf(placed.columns().get(field).name());
      if (column < 0 ? isRequired[field] : from.type(column) != placed.type(field)) {
        return null;
      }
      columns[field] = column;
    }
    return columns;
  }

  /**
   * Sets log positions and arrival of the rows from {@code first}, which are those of one value, in
   * order.
   */
  public void place(TableBlock block, int first, int partition, long offset, long arrivalMicros) {
    int rows = block.rows();
    long[] indexes = block.longs(row.size() + 2);
    Arrays.fill(block.longs(row.size()), first, rows, partition);
    Arrays.fill(block.longs(row.size() + 1), first, rows, offset);
    Arrays.fill(block.longs(row.size() + 3), first, rows, arrivalMicros);
    for (int i = first; i < rows; i++) {
      indexes[i] = (long) i - first;
    }
  }
}
