package io.millrace.pipelines.flows;

import io.millrace.engine.UnmendableException;
import io.millrace.engine.sink.RewindableTarget;
import io.millrace.pipelines.StoreLink;
import io.millrace.store.FlowInlet;
import io.millrace.store.FlowSchema;
import io.millrace.store.WrongSchemaException;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import java.time.Duration;

/** A table of flows as the stream job's sink. One for each subtask; used by its thread alone. */
final class StoreTarget implements RewindableTarget<FlowBlock, Frontier> {
  private final StoreLink store;
  private final String tableName;
  private final FlowSchema schema;
  private final Duration longestWait;
  private FlowInlet inlet;

  StoreTarget(StoreLink store, String tableName, FlowSchema schema, Duration longestWait) {
    this.store = store;
    this.tableName = tableName;
    this.schema = schema;
    this.longestWait = longestWait;
  }

  @Override
  public void open() {
    try {
      inlet = store.open(tableName, schema, longestWait);
    } catch (WrongSchemaException e) {
      throw new UnmendableException(e.getMessage());
    }
  }

  @Override
  public void rewind(long ticket, Frontier frontier) {
    inlet.rewind(ticket, frontier);
  }

  @Override
  public void begin(long ticket) {
    inlet.begin(ticket);
  }

  @Override
  public void append(FlowBlock block) {
    inlet.append(block);
  }

  @Override
  public void flush() {
    inlet.flush();
  }

  @Override
  public void committed(long checkpointId, Frontier frontier) {
    inlet.committed(checkpointId, frontier);
  }

  @Override
  public void close() {
    if (inlet != null) {
      inlet.close();
      inlet = null;
    }
  }
}
