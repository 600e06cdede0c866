package io.millrace.pipelines.flows;

import io.millrace.engine.UnmendableException;
import io.millrace.engine.sink.RewindableTarget;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.WrongSchemaException;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.time.Duration;
import org.apache.flink.metrics.Counter;

/** A table of flows as the stream job's sink. One for each subtask; used by its thread alone. */
final class StoreTarget implements RewindableTarget<FlowBlock> {
  private final String store;
  private final String tableName;
  private final FlowSchema schema;
  private final Duration longestWait;
  private final Counter estimatedBytes;
  private FlowTable table;
  private FlowWriter writer;

  StoreTarget(
      String store,
      String tableName,
      FlowSchema schema,
      Duration longestWait,
      Counter estimatedBytes) {
    this.longestWait = longestWait;
    this.store = store;
    this.tableName = tableName;
    this.schema = schema;
    this.estimatedBytes = estimatedBytes;
  }

  @Override
  public void open() {
    try {
      table = LocalStores.get(store).table(tableName, schema);
    } catch (WrongSchemaException e) {
      throw new UnmendableException(e.getMessage());
    }
    writer = table.writer(longestWait);
  }

  @Override
  public void rewind(Frontier frontier) {
    table.rewind(frontier);
  }

  @Override
  public void append(FlowBlock block) {
    writer.append(block);
    estimatedBytes.inc(estimatedBytes(block));
  }

  /** 12 bytes a row. */
  private static long estimatedBytes(FlowBlock block) {
    long[] bytes = block.longs(FlowColumn.BYTES);
    int[] rates = block.ints(FlowColumn.SAMPLING_RATE);
    long sum = 0;
    for (int i = 0; i < block.rows(); i++) {
      sum += Math.max(0, bytes[i]) * Math.max(1, rates[i]);
    }
    return sum;
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
