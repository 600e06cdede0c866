package io.millrace.pipelines.flows;

import io.millrace.engine.UnmendableException;
import io.millrace.engine.sink.RewindableTarget;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.WrongSchemaException;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;

/** A table of flows as the stream job's sink. One for each subtask; used by its thread alone. */
final class StoreTarget implements RewindableTarget<FlowBlock> {
  private final String store;
  private final String tableName;
  private final FlowSchema schema;
  private FlowTable table;
  private FlowWriter writer;

  StoreTarget(String store, String tableName, FlowSchema schema) {
    this.store = store;
    this.tableName = tableName;
    this.schema = schema;
  }

  @Override
  public void open() {
    try {
      table = LocalStores.get(store).table(tableName, schema);
    } catch (WrongSchemaException e) {
      throw new UnmendableException(e.getMessage());
    }
    writer = table.writer();
  }

  @Override
  public void rewind(Frontier frontier) {
    table.rewind(frontier);
  }

  @Override
  public void append(FlowBlock block) {
    writer.append(block);
  }

  @Override
  public void flush() {
    writer.flush();
  }

  @Override
  public void committed(long checkpointId, Frontier frontier) {
    table.committed(frontier);
  }

  @Override
  public void close() {
    if (writer != null) {
      writer.close();
      writer = null;
    }
  }
}
