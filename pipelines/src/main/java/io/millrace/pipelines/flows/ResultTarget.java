package io.millrace.pipelines.flows;

import io.millrace.engine.UnmendableException;
import io.millrace.engine.sink.CheckpointCoverage;
import io.millrace.engine.sink.RewindableTarget;
import io.millrace.store.ResultInlet;
import io.millrace.store.WrongSchemaException;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;

/** A table of results as the stream job's sink. One for each subtask; used by its thread alone. */
final class ResultTarget implements RewindableTarget<TableBlock, Long> {
  private final StoreLink store;
  private final String table;
  private final TableSchema schema;
  private ResultInlet inlet;

  /** Tag of the rows that come now. */
  private long checkpoint = CheckpointCoverage.NONE;

  ResultTarget(StoreLink store, String table, TableSchema schema) {
    this.store = store;
    this.table = table;
    this.schema = schema;
  }

  @Override
  public void open() {
    try {
      inlet = store.openResults(table, schema);
    } catch (WrongSchemaException e) {
      throw new UnmendableException(e.getMessage());
    }
  }

  @Override
  public void rewind(long ticket, Long covered) {
    inlet.rewind(ticket, covered);
  }

  @Override
  public void begin(long ticket) {
    inlet.begin(ticket);
  }

  @Override
  public void append(TableBlock block) {
    try {
      inlet.append(block, checkpoint);
    } catch (WrongSchemaException e) {
      throw new UnmendableException(e.getMessage());
    }
  }

  @Override
  public void flush() {
    inlet.flush();
  }

  @Override
  public void passed(long checkpointId) {
    checkpoint = checkpointId;
  }

  @Override
  public void close() {
    if (inlet != null) {
      inlet.close();
      inlet = null;
    }
  }
}
