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

/** The stretches of one sink that get rows: one for each part. One thread at a time. */
final class OpenStretches {
  private final String table;
  private final List<FlowSchema.AddedColumn> added;
  private final List<JoinedColumn> joined;
  private final TextIds ids;
  private final TailChunk.Scratch scratch = new TailChunk.Scratch();
  private final Map<FlowPart, PendingRows> open = new EnumMap<>(FlowPart.class);

  OpenStretches(String table, FlowSchema schema, TextIds ids) {
    this.table = table;
    this.ids = ids;
    added = schema.joined();
    joined = Arrays.asList(new JoinedColumn[added.size()]);
  }

  /**
   * Appends a block to the stretch of its part.
   *
   * @param begin gives a new stretch
   * @throws WrongSchemaException if the table has not all of its columns; nothing is appended
   */
  PendingRows append(FlowBlock block, Function<FlowPart, PendingRows> begin) {
    matchColumns(block);
    PendingRows rows = open.computeIfAbsent(FlowPart.of(block), begin);
    rows.stretch.append(block, joined, ids, scratch);
    return rows;
  }

  /** Ends the stretch of a part; null if there is none. */
  PendingRows end(FlowPart part) {
    return open.remove(part);
  }

  private void matchColumns(FlowBlock block) {
    for (int i = 0; i < added.size(); i++) {
      joined.set(i, null);
    }
    List<JoinedColumn> there = block.joined();
    for (int k = 0; k < there.size(); k++) {
      JoinedColumn column = there.get(k);
      joined.set(place(column, k), column);
    }
  }

  private int place(JoinedColumn column, int guess) {
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
