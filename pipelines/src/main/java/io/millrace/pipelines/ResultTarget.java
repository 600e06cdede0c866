package io.millrace.pipelines;

import io.millrace.engine.UnmendableException;
import io.millrace.engine.sink.CheckpointCoverage;
import io.millrace.engine.sink.RewindableTarget;
import io.millrace.store.ResultInlet;
import io.millrace.store.WrongSchemaException;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.List;

/** A table of results as the stream job's sink. One for each subtask; used by its thread alone. */
final class ResultTarget implements RewindableTarget<TableBlock, Long> {
  private final StoreLink store;
  private final String table;
  private final TableSchema schema;
  private final List<String> key;
  private ResultInlet inlet;

  /** Tag of the rows that come now. */
  private long checkpoint = CheckpointCoverage.NONE;

  /**
   * @param key columns of which a row takes the place of an earlier one; none for a table to which
   *     rows are only added
   */
  ResultTarget(StoreLink store, String table, TableSchema schema, List<String> key) {
    this.store = store;
    this.table = table;
    this.schema = schema;
    this.key = List.copyOf(key);
  }

  @Override
  public void open() {
    try {
      inlet = store.openResults(table, schema, key);
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
