package io.millrace.store.iceberg;

import io.millrace.store.FlowSchema;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.JoinedColumn;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Open buffers of one sink, one for each part. Used by one thread at a time. */
final class OpenBuffers {
  private final String table;
  private final List<FlowSchema.AddedColumn> added;
  private final List<JoinedColumn> joined;
  private final TextIds ids;
  private final TailChunk.Scratch scratch = new TailChunk.Scratch();
  private final Map<FlowPart, PendingRows> open = new EnumMap<>(FlowPart.class);

  OpenBuffers(String table, FlowSchema schema, TextIds ids) {
    this.table = table;
    this.ids = ids;
    added = schema.joined();
    joined = Arrays.asList(new JoinedColumn[added.size()]);
  }

  /**
   * Appends a block to the buffer of its part.
   *
   * @param begin creates a buffer
   * @throws WrongSchemaException if the table lacks a column of the block; nothing is appended
   */
  PendingRows append(FlowBlock block, Function<FlowPart, PendingRows> begin) {
    matchColumns(block);
    PendingRows rows = open.computeIfAbsent(FlowPart.of(block), begin);
    rows.buffer.append(block, joined, ids, scratch);
    return rows;
  }

  /** Ends the buffer of a part; null if there is none. */
  PendingRows end(FlowPart part) {
    return open.remove(part);
  }

  private void matchColumns(FlowBlock block) {
    for (int i = 0; i < added.size(); i++) {
      joined.set(i, null);
    }
    List<JoinedColumn> columns = block.joined();
    for (int k = 0; k < columns.size(); k++) {
      JoinedColumn column = columns.get(k);
      joined.set(indexOf(column, k), column);
    }
  }

  private int indexOf(JoinedColumn column, int guess) {
    for (int i = 0; i < added.size(); i++) {
      int at = (guess + i) % added.size();
      if (added.get(at).name().equals(column.name()) && added.get(at).kind() == column.kind()) {
        return at;
      }
    }
    throw new WrongSchemaException(
        "table %s has no column %s of kind %s".formatted(table, column.name(), column.kind()));
  }
}
